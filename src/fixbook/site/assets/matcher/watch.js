// What the matcher tells while it works, so that whoever waits can see that it lives, and which pattern ran away.

import { tables } from "./tables.js";

const OFTEN = 250; // ms between two signs of life

let state = { skip: new Set(), tell: () => {}, begun: 0, told: 0 };

/** Begins anew: `skip` are names of patterns that are not to be run, `tell` takes the name of what is done now. */
export function watch(skip, tell) {
  state = { skip: new Set(skip), tell: tell ?? (() => {}), begun: 0, told: Date.now() };
}

export function isSkipped(name) {
  return state.skip.has(name);
}

/** A pattern of the book runs next; who hears nothing more knows which one it was. */
export function begins(name) {
  state.begun = state.told = Date.now();
  state.tell(name);
}

/** Whether the pattern that began has had its time. */
export function isOver() {
  return Date.now() - state.begun > tables.scan.TIMEOUT * 1000;
}

/** A sign of life within long work. */
export function beat(name) {
  if (Date.now() - state.told < OFTEN) return;
  state.told = Date.now();
  state.tell(name);
}
