// Sets the chosen theme before the page is painted.
try {
  const theme = JSON.parse(localStorage.getItem('singletree:preferences') ?? '{}').theme;
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {}
