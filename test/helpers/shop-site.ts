import { startTestSite, type TestSite } from './test-site.ts';

export interface ShopSite extends TestSite {
  /** What the shop has been asked to put into carts: one entry for each request. */
  readonly added: string[];
  /** Changes what the cart contains, and the id of the button that pays. */
  change(of: { readonly cart?: string; readonly button?: string }): void;
}

const page = (title: string, content: string, script = ''): string =>
  `<!DOCTYPE html><html lang=en><meta charset=utf-8><title>${title}</title><main><h1>${title}</h1>${content}</main><script>${script}</script></html>`;

/**
 * A shop whose states exist only after clicks:
 * - a menu that opens, with a link without a name
 * - a cart that is filled by POST, and kept in a cookie, with an image without an alternative text; its URL is never the same
 * - a form whose errors appear, with a field without a label and a duplicate id
 */
export async function startShopSite(): Promise<ShopSite> {
  const added: string[] = [];
  let cart = '<img src=data:,>';
  let button = 'send';
  const site = await startTestSite({
    '/': page(
      'Shop',
      `<p><button id=menu aria-expanded=false>Menu</button> <a href=/about>About</a></p><ul id=items></ul>
       <button id=add>Add to cart</button><p id=count></p>`,
      `menu.onclick = () => {
         menu.setAttribute('aria-expanded', 'true');
         items.innerHTML = '<li><a href="/cart"></a><li><a href="/about">About</a>';
       };
       add.onclick = async () => {
         await fetch('/add?item=pear', { method: 'POST' });
         setTimeout(() => { count.innerHTML = '1 item <a id=go href="/cart?visit=' + Date.now() + '">Cart</a>'; }, 300);
       };`,
    ),
    '/about': page('About', '<p>All about pears.'),
    '/add': (request, response) => {
      added.push(request.url ?? '');
      response.writeHead(204, { 'set-cookie': 'cart=pear' }).end();
    },
    '/cart': (request, response) => {
      const isFilled = request.headers.cookie?.includes('cart=pear') === true;
      const content = isFilled
        ? `<p>One pear ${cart}</p><form action=/pay><label>Card <input name=card id=card></label>
           <p id=error></p><button type=button id=${button}>Pay</button></form>`
        : '<p>The cart is empty.';
      const script = `document.querySelector('form button')?.addEventListener('click', () => {
        error.innerHTML = '<span id=card>The number has to begin with 4.</span> <input name=number> ' + card.value.length + ' digits';
      });`;
      response.writeHead(200, { 'content-type': 'text/html' }).end(page('Cart', content, script));
    },
  });
  return {
    ...site,
    added,
    change(of) {
      cart = of.cart ?? cart;
      button = of.button ?? button;
    },
  };
}
