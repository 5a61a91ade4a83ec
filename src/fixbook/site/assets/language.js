// The root of the site: on to the home page in the language that the reader chose last, else in that of the browser.
(function () {
  'use strict';
  let chosen = null;
  try {
    chosen = localStorage.getItem('fixbook-language');
  } catch {
    // No storage: the browser's languages decide.
  }
  const wanted = chosen || (navigator.languages || [navigator.language || 'en']).find((tag) => /^(en|zh)\b/.test(tag)) || 'en';
  location.replace((wanted.startsWith('zh') ? 'zh' : 'en') + '/index.html' + location.hash);
})();
