// In the served site only: loads the page again after a build, and lays what lint found over it.
(() => {
'use strict';

let version = -1;
let build = null;

function show(problems) {
  document.getElementById('live-problems')?.remove();
  if (!problems.length) return;
  const box = document.createElement('aside');
  box.id = 'live-problems';
  box.className = 'live-problems';
  box.setAttribute('role', 'status');
  const close = document.createElement('button');
  close.type = 'button';
  close.textContent = '×';
  close.setAttribute('aria-label', 'Close');
  close.addEventListener('click', () => box.remove());
  const list = document.createElement('pre');
  list.textContent = problems.join('\n\n');
  box.append(close, list);
  document.body.append(box);
}

async function follow() {
  for (;;) {
    try {
      const news = await (await fetch(`/-/news?${version}`)).json();
      if (build !== null && news.build !== build) {
        location.reload();
        return;
      }
      if (news.version !== version) show(news.problems);
      ({ version, build } = news);
    } catch {
      // The server was ended, or starts again.
      await new Promise((done) => { setTimeout(done, 1000); });
    }
  }
}

const style = document.createElement('link');
style.rel = 'stylesheet';
style.href = '/-/live.css';
document.head.append(style);
follow();
})();
