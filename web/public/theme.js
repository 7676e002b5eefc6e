// Runs before the first paint, so that the default theme does not flash. Content-Security-Policy forbids inline scripts.
try {
  for (const name of ['theme', 'density']) {
    const choice = localStorage.getItem(name);
    if (['light', 'dark', 'compact'].includes(choice)) document.documentElement.dataset[name] = choice;
  }
} catch {
  // Without storage, the defaults apply.
}
