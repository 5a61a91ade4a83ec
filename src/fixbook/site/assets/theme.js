// Runs before anything is painted: the theme that the reader chose, and the sign that scripts run.
(function () {
  'use strict';
  const root = document.documentElement;
  root.classList.add('js');
  try {
    const chosen = localStorage.getItem('fixbook-theme');
    if (chosen === 'dark' || chosen === 'light') root.dataset.theme = chosen;
  } catch {
    // No storage: the system's theme stays.
  }
})();
