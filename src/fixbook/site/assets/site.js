// What every page does beside being read: theme, language, copy buttons, the mark in the contents.
(() => {
'use strict';

const root = document.documentElement;
const lang = root.lang.startsWith('zh') ? 'zh' : 'en';

function remember(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // No storage: it holds for this page only.
  }
}

// --- Theme and language ------------------------------------------------------------------------------------------------------------

document.querySelector('.theme')?.addEventListener('click', () => {
  const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = dark ? 'light' : 'dark';
  remember('fixbook-theme', root.dataset.theme);
});

// The anchors are the same in both languages, so the reader stays at the same section.
document.querySelector('.language')?.addEventListener('click', (event) => {
  const link = event.currentTarget;
  remember('fixbook-language', link.hreflang.startsWith('zh') ? 'zh' : 'en');
  link.href = link.getAttribute('href').split('#')[0] + location.hash;
});

// --- Copy --------------------------------------------------------------------------------------------------------------------------

async function copy(text) {
  if (navigator.clipboard && isSecureContext) return navigator.clipboard.writeText(text);
  // Pages that come over plain http have no clipboard of their own.
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'unseen';
  document.body.append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  if (!done) throw new Error('refused');
  return undefined;
}

function addCopy(pre) {
  const box = document.createElement('div');
  box.className = 'code';
  pre.replaceWith(box);
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = root.dataset.copy;
  button.addEventListener('click', async () => {
    try {
      await copy(pre.textContent.replace(/\n$/, ''));
      button.textContent = root.dataset.copied;
    } catch {
      button.textContent = root.dataset.copyFailed;
    }
    button.setAttribute('aria-live', 'polite');
    setTimeout(() => { button.textContent = root.dataset.copy; }, 1600);
  });
  box.append(pre, button);
}

document.querySelectorAll('main pre').forEach(addCopy);

// --- Contents ----------------------------------------------------------------------------------------------------------------------

function followContents() {
  const links = new Map([...document.querySelectorAll('.toc a')].map((link) => [link.hash.slice(1), link]));
  const headings = [...links.keys()].map((id) => document.getElementById(id)).filter(Boolean);
  if (!headings.length) return;
  const mark = () => {
    const line = innerHeight * 0.3;
    const past = headings.filter((heading) => heading.getBoundingClientRect().top < line);
    const current = (past.length ? past[past.length - 1] : headings[0]).id;
    links.forEach((link, id) => (id === current ? link.setAttribute('aria-current', 'true') : link.removeAttribute('aria-current')));
  };
  let waiting = false;
  addEventListener('scroll', () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; mark(); });
  }, { passive: true });
  mark();
}

followContents();

globalThis.fixbook = { addCopy, lang, root };
})();
