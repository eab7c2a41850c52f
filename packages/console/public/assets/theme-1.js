// Before the first paint, so that a dark console does not flash white.
const stored = localStorage.getItem('hostwright.theme');
if (stored === 'dark' || stored === 'light') document.documentElement.dataset.theme = stored;
