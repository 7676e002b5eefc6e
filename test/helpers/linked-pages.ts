/** The number of a page by its path: `/` is the first, `/page-7` the seventh; 0 for any other. */
export function pageNumber(path: string): number {
  return path === '/' ? 1 : Number(/^\/page-(\d+)$/.exec(path)?.[1] ?? 0);
}

/** One of a number of pages that link to the next ones, with errors of both kinds, more on some than on others. */
export function linkedPage(number: number, pages: number): string {
  const links = [1, 2, 3]
    .map((step) => Math.min(number + step, pages))
    .map((next) => `<p><a href="/page-${next}">Page ${next}</a></p>`);
  const images = '<img src="data:,">'.repeat(1 + (number % 3));
  return (
    `<!DOCTYPE html><html lang="en"><title>Page ${number}</title><main><h1>Page ${number}</h1>${links.join('')}` +
    `<p id="twice">${images}<p id="twice"><button></button></main></html>`
  );
}
