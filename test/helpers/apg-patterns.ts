/**
 * Pages with the patterns of the ARIA Authoring Practices, as sites build them: each is faultless while nothing is open, and what
 * it opens has seeded defects.
 */

/** A defect: an element with the attribute `data-seed`, and the rule that finds it. */
export interface Seed {
  readonly number: number;
  readonly rule: string;
  readonly html: string;
}

export interface Pattern {
  readonly name: string;
  /** Returns the body of a page that contains defects. */
  body(defects: readonly string[]): string;
}

const DEFECTS: readonly (readonly [rule: string, html: (seed: string) => string])[] = [
  ['image-alt', (seed) => `<img ${seed} src="data:,">`],
  ['button-name', (seed) => `<button type="button" ${seed}></button>`],
  ['link-name', (seed) => `<a ${seed} href="/followed"></a>`],
  ['label', (seed) => `<input ${seed} type="text">`],
  ['select-name', (seed) => `<select ${seed}><option>One</option></select>`],
  ['color-contrast', (seed) => `<p ${seed} style="color: #999; background: #fff">Hardly any contrast</p>`],
  ['aria-valid-attr', (seed) => `<p ${seed} aria-lable="Text">Text</p>`],
  ['list', (seed) => `<ul ${seed}><div>Not an item</div></ul>`],
  ['aria-required-attr', (seed) => `<span ${seed} role="checkbox" tabindex="0" aria-label="Choice"></span>`],
  ['aria-roles', (seed) => `<p ${seed} role="datepicker">Text</p>`],
  ['role-img-alt', (seed) => `<span ${seed} role="img"></span>`],
  ['svg-img-alt', (seed) => `<svg ${seed} role="img" width="10" height="10"></svg>`],
];

/** Returns seeded defects for the pattern with a number, each of another kind. */
export function seedsOf(pattern: number, howMany: number): Seed[] {
  return Array.from({ length: howMany }, (_, index) => {
    const [rule, html] = DEFECTS[(pattern * 5 + index) % DEFECTS.length] ?? DEFECTS[0] ?? ['', () => ''];
    const number = pattern * howMany + index;
    return { number, rule, html: html(`data-seed="${number}"`) };
  });
}

export function pageOf({ name, body }: Pattern, seeds: readonly Seed[]): string {
  const styles = `body { color: #111; background: #fff } [hidden] { display: none !important } .gone { display: none }
    ul { list-style: none } dialog, [popover], [role=dialog], [role=alertdialog] { background: #fff }`;
  return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>${name}</title><style>${styles}</style>
    <script>${SCRIPT}</script></head><body>${body(seeds.map(({ html }) => html))}</body></html>`;
}

/** Distributes defects over the parts of a pattern. */
function spread(defects: readonly string[], parts: number): string[] {
  return Array.from({ length: parts }, (_, part) => defects.filter((_, index) => index % parts === part).join('\n'));
}

/** What sites use: toggles, and focus that leaves a menu closes it. */
const SCRIPT = `
  const $ = (id) => document.getElementById(id);
  function toggle(button, ids = button.getAttribute('aria-controls')) {
    const open = button.getAttribute('aria-expanded') !== 'true';
    button.setAttribute('aria-expanded', open);
    for (const id of ids.split(' ')) $(id).hidden = !open;
  }
  function menu(button, id) {
    const list = $(id);
    const set = (open) => { list.hidden = !open; open ? button.setAttribute('aria-expanded', 'true') : button.removeAttribute('aria-expanded'); };
    button.addEventListener('click', (event) => { event.preventDefault(); set(list.hidden); if (!list.hidden) list.querySelector('[tabindex]')?.focus(); });
    button.addEventListener('keydown', ({ key }) => { if (key === 'ArrowDown') set(true); });
    for (const part of [button, list]) part.addEventListener('keydown', (event) => { if (event.key === 'Escape') { set(false); button.focus(); event.stopPropagation(); } });
    document.addEventListener('pointerdown', ({ target }) => { if (!list.contains(target) && !button.contains(target)) set(false); });
  }
  function tabs(list) {
    const all = [...list.querySelectorAll('[role=tab]')];
    const select = (chosen) => {
      for (const tab of all) {
        tab.setAttribute('aria-selected', tab === chosen);
        tab.tabIndex = tab === chosen ? 0 : -1;
        $(tab.getAttribute('aria-controls')).hidden = tab !== chosen;
      }
    };
    for (const tab of all) tab.addEventListener('click', () => select(tab));
    list.addEventListener('keydown', ({ key }) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
      if (step) { const next = all[(all.indexOf(document.activeElement) + step + all.length) % all.length]; next.focus(); select(next); }
    });
  }
  let opener = null;
  function openDialog(id, from) {
    opener = from; $(id).classList.remove('gone'); document.querySelector('main').setAttribute('aria-hidden', 'true');
    document.querySelector('main').inert = true;
    $(id).querySelector('button, input')?.focus();
  }
  function closeDialog(id) {
    $(id).classList.add('gone'); document.querySelector('main').removeAttribute('aria-hidden');
    document.querySelector('main').inert = false; opener?.focus();
  }
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') for (const open of document.querySelectorAll('[data-modal]:not(.gone)')) closeDialog(open.id);
  });`;

const main = (content: string): string => `<main><h1>Pattern</h1>${content}</main>`;

const disclosure: Pattern = {
  name: 'disclosure',
  body: (defects) =>
    main(
      spread(defects, 4)
        .map(
          (
            part,
            index,
          ) => `<button type="button" aria-expanded="false" aria-controls="faq${index}" onclick="toggle(this)">
            Question ${index}</button><div id="faq${index}" hidden>${part}</div>`,
        )
        .join(''),
    ),
};

const accordion: Pattern = {
  name: 'accordion',
  body: (defects) =>
    main(
      spread(defects, 5)
        .map(
          (part, index) => `<h2><button type="button" id="head${index}" aria-expanded="${index === 0}"
            aria-controls="sect${index}" onclick="for (const other of document.querySelectorAll('h2 button')) if ((other === this) !== (other.getAttribute('aria-expanded') === 'true')) toggle(other)">
            Section ${index}</button></h2>
            <div id="sect${index}" role="region" aria-labelledby="head${index}" ${index === 0 ? '' : 'hidden'}>
            ${index === 0 ? 'Open at first' : part}${index === 1 ? defects.filter((_, at) => at % 5 === 0).join('') : ''}</div>`,
        )
        .join(''),
    ),
};

const tabList = (parts: readonly string[], label: string): string =>
  `<div role="tablist" aria-label="${label}">${parts
    .map(
      (_, index) => `<button type="button" role="tab" id="${label}-tab${index}" aria-selected="${index === 0}"
        aria-controls="${label}-panel${index}" tabindex="${index === 0 ? 0 : -1}">${label} ${index}</button>`,
    )
    .join('')}</div>${parts
    .map(
      (
        part,
        index,
      ) => `<div role="tabpanel" id="${label}-panel${index}" aria-labelledby="${label}-tab${index}" tabindex="0"
        ${index === 0 ? '' : 'hidden'}>${part}</div>`,
    )
    .join('')}<script>tabs(document.querySelector('[role=tablist][aria-label="${label}"]'))</script>`;

const tabs: Pattern = {
  name: 'tabs',
  body: (defects) => main(tabList(['<p>First</p>', ...spread(defects, 3)], 'Composer')),
};

const menuButton: Pattern = {
  name: 'menu button',
  body: (defects) =>
    main(
      spread(defects, 2)
        .map(
          (
            part,
            index,
          ) => `<button type="button" id="menubutton${index}" aria-haspopup="true" aria-controls="menu${index}">Actions ${index}</button>
            <ul id="menu${index}" role="menu" aria-labelledby="menubutton${index}" hidden>
            <li role="menuitem" tabindex="-1">First ${part}</li><li role="menuitem" tabindex="-1">Log out</li></ul>
            <script>menu($('menubutton${index}'), 'menu${index}')</script>`,
        )
        .join(''),
    ),
};

const menubar: Pattern = {
  name: 'menubar',
  body(defects) {
    const [one = '', two = '', deep = ''] = spread(defects, 3);
    return `<nav aria-label="Site"><ul role="menubar" aria-label="Site">
      <li role="none"><a role="menuitem" aria-haspopup="true" aria-expanded="false" href="#about" id="bar0" tabindex="0">About</a>
        <ul role="menu" aria-label="About" id="bar0menu" hidden><li role="none"><a role="menuitem" tabindex="-1" href="/followed">Overview</a> ${one}</li>
          <li role="none"><a role="menuitem" aria-haspopup="true" aria-expanded="false" href="#facts" id="bar1" tabindex="-1">Facts</a>
            <ul role="menu" aria-label="Facts" id="bar1menu" hidden><li role="none"><a role="menuitem" tabindex="-1" href="/followed">History</a> ${deep}</li></ul></li></ul></li>
      <li role="none"><a role="menuitem" aria-haspopup="true" aria-expanded="false" href="/followed" id="bar2" tabindex="-1">Admissions</a>
        <ul role="menu" aria-label="Admissions" id="bar2menu" hidden><li role="none"><a role="menuitem" tabindex="-1" href="/followed">Apply</a> ${two}</li></ul></li>
      </ul></nav>${main('<p>Text</p>')}
      <script>for (const id of ['bar0', 'bar1', 'bar2']) {
        const item = $(id); const list = $(id + 'menu'); const from = item.parentElement;
        const set = (open) => { item.setAttribute('aria-expanded', open); list.hidden = !open; };
        if (id !== 'bar2') item.addEventListener('click', (event) => { event.preventDefault(); set(list.hidden); });
        else from.addEventListener('mouseenter', () => set(true));
        from.addEventListener('mouseleave', () => { if (id === 'bar2') set(false); });
        item.addEventListener('keydown', (event) => {
          if (event.key === (id === 'bar1' ? 'ArrowRight' : 'ArrowDown')) { set(true); list.querySelector('a').focus(); }
        });
        from.addEventListener('keydown', (event) => { if (event.key === 'Escape' && !list.hidden) { set(false); event.stopPropagation(); } });
        document.addEventListener('pointerdown', ({ target }) => { if (!from.contains(target)) set(false); });
      }</script>`;
  },
};

const dialog: Pattern = {
  name: 'dialog',
  body(defects) {
    const [first = '', second = ''] = spread(defects, 2);
    return `${main(`<button type="button" onclick="openDialog('dialog1', this)">Add delivery address</button>
      <button type="button" aria-haspopup="dialog" onclick="$('native').showModal()">Verify</button>`)}
      <div role="dialog" id="dialog1" data-modal aria-labelledby="dialog1label" aria-modal="true" class="gone">
        <h2 id="dialog1label">Add delivery address</h2><form action="/sent" method="post">${first}<button>Save</button></form>
        <button type="button" onclick="closeDialog('dialog1')">Cancel</button></div>
      <dialog id="native" aria-label="Verify">${second}<form method="dialog"><button>Close</button></form></dialog>`;
  },
};

const alertDialog: Pattern = {
  name: 'alert dialog',
  body: (
    defects,
  ) => `${main(`<button type="button" aria-controls="alert1" onclick="openDialog('alert1', this)">Discard</button>`)}
    <div role="alertdialog" id="alert1" data-modal aria-modal="true" aria-labelledby="alert1label" aria-describedby="alert1text" class="gone">
      <h2 id="alert1label">Confirm</h2><div id="alert1text"><p>Discard all?</p>${defects.join('')}</div>
      <button type="button" onclick="closeDialog('alert1')">No</button>
      <button type="button" onclick="fetch('/sent', { method: 'DELETE' })">Yes</button></div>`,
};

const combobox: Pattern = {
  name: 'combobox',
  body(defects) {
    const [editable = '', only = ''] = spread(defects, 2);
    return main(`<label for="state">State</label>
      <input id="state" type="text" role="combobox" aria-autocomplete="list" aria-expanded="false" aria-controls="states">
      <div id="states" role="listbox" aria-label="States" hidden><div role="option" aria-selected="false">Alaska</div></div><div id="help" hidden>${editable}</div>
      <div id="fruitlabel">Fruit</div>
      <div id="fruit" role="combobox" tabindex="0" aria-haspopup="listbox" aria-expanded="false" aria-controls="fruits" aria-labelledby="fruitlabel">Apple</div>
      <div id="fruitbox" hidden><div id="fruits" role="listbox" aria-labelledby="fruitlabel"><div role="option" aria-selected="true">Apple</div></div>${only}</div>
      <script>
        const set = (open) => { $('state').setAttribute('aria-expanded', open); $('states').hidden = $('help').hidden = !open; };
        $('state').addEventListener('keydown', ({ key }) => { if (key === 'ArrowDown') set(true); if (key === 'Escape') set(false); });
        $('state').addEventListener('blur', () => set(false));
        $('fruit').addEventListener('click', () => toggle($('fruit'), 'fruitbox'));
        $('fruit').addEventListener('keydown', ({ key }) => { if (key === 'Escape' && !$('fruitbox').hidden) toggle($('fruit'), 'fruitbox'); });
      </script>`);
  },
};

const listbox: Pattern = {
  name: 'listbox popup',
  body: (defects) =>
    main(`<span id="element">Choose an element</span>
      <button type="button" id="choose" aria-haspopup="listbox" aria-labelledby="element choose">Neptunium</button>
      <div id="elements" hidden><ul role="listbox" tabindex="-1" aria-labelledby="element"><li role="option" aria-selected="true">Neptunium</li></ul>${defects.join('')}</div>
      <script>menu($('choose'), 'elements')</script>`),
};

const tree: Pattern = {
  name: 'tree',
  body(defects) {
    const [one = '', two = '', three = ''] = spread(defects, 3);
    const item = (name: string, inner: string, content: string): string =>
      `<li role="treeitem" aria-expanded="false" tabindex="-1"><span>${name}</span><ul role="group" hidden>
        <li role="treeitem" tabindex="-1">${name} file ${content}</li>${inner}</ul></li>`;
    return main(`<h2 id="files">Files</h2><ul role="tree" aria-labelledby="files">${item('Projects', item('Old', '', two), one)}${item('Reports', '', three)}</ul>
      <script>for (const item of document.querySelectorAll('[role=treeitem][aria-expanded]')) {
        const set = (open) => { item.setAttribute('aria-expanded', open); item.querySelector('ul').hidden = !open; };
        item.addEventListener('click', (event) => { event.stopPropagation(); set(item.getAttribute('aria-expanded') !== 'true'); });
        item.addEventListener('keydown', (event) => { if (event.target === item && event.key === 'ArrowRight') set(true); });
      }</script>`);
  },
};

const tooltip: Pattern = {
  name: 'tooltip toggle',
  body(defects) {
    const [hovered = '', toggled = ''] = spread(defects, 2);
    return main(`<style>#tip1 { visibility: hidden } .tip:hover #tip1, .tip:focus-within #tip1 { visibility: visible }</style>
      <span class="tip"><button type="button" aria-describedby="tip1">Help</button><span role="tooltip" id="tip1">Tip ${hovered}</span></span>
      <button type="button" aria-expanded="false" aria-controls="tip2" onclick="toggle(this)">More information</button>
      <div id="tip2" role="status" hidden>${toggled}</div>`);
  },
};

const carousel: Pattern = {
  name: 'carousel with tabs',
  body: (defects) =>
    main(
      `<section aria-roledescription="carousel" aria-label="Highlights">${tabList(['<p>Slide</p>', ...spread(defects, 5)], 'Slide')}</section>`,
    ),
};

const popover: Pattern = {
  name: 'popover',
  body(defects) {
    const [auto = '', manual = '', nested = ''] = spread(defects, 3);
    return main(`<button type="button" popovertarget="pop1">Filter</button><div id="pop1" popover role="group" aria-label="Filter">${auto}
        <button type="button" popovertarget="pop3">More</button></div><div id="pop3" popover>${nested}</div>
      <button type="button" popovertarget="pop2" popovertargetaction="toggle">Notice</button><div id="pop2" popover="manual">${manual}</div>`);
  },
};

const details: Pattern = {
  name: 'details',
  body: (defects) =>
    main(
      spread(defects, 4)
        .map(
          (part, index) =>
            `<details ${index < 2 ? 'name="group"' : ''}><summary>Details ${index}</summary>${part}</details>`,
        )
        .join(''),
    ),
};

const navigation: Pattern = {
  name: 'navigation with submenus',
  body(defects) {
    const [one = '', two = '', three = ''] = spread(defects, 3);
    return `<nav aria-label="Main"><ul>
      <li><a href="/followed">About</a> <button type="button" aria-expanded="false" aria-controls="sub0" aria-label="More about pages" onclick="toggle(this)">▾</button>
        <ul id="sub0" hidden><li><a href="/followed">Team</a>${one}</li>
        <li><button type="button" aria-expanded="false" aria-controls="sub1" onclick="toggle(this)">Jobs</button><ul id="sub1" hidden><li>${two}</li></ul></li></ul></li>
      <li class="hover"><a href="/followed" aria-haspopup="true">Shop</a><ul class="fly"><li>${three}</li></ul></li></ul></nav>
      <style>.fly { display: none } .hover:hover .fly, .hover:focus-within .fly { display: block }</style>${main('<p>Text</p>')}`;
  },
};

const toolbar: Pattern = {
  name: 'toolbar popup',
  body(defects) {
    const [font = '', size = ''] = spread(defects, 2);
    return main(`<div role="toolbar" aria-label="Text formatting" aria-controls="text">
      <button type="button" aria-pressed="false">Bold</button>
      <button type="button" id="font" aria-haspopup="true" aria-controls="fonts" tabindex="-1">Font</button>
      <div id="fonts" hidden><ul role="menu" aria-label="Font"><li role="menuitemradio" aria-checked="true" tabindex="-1">Sans</li></ul>${font}</div>
      <button type="button" id="size" aria-haspopup="dialog" aria-expanded="false" aria-controls="sizes" tabindex="-1">Size</button>
      <div id="sizes" role="dialog" aria-label="Size" hidden>${size}</div></div><textarea id="text" aria-label="Text"></textarea>
      <script>menu($('font'), 'fonts'); menu($('size'), 'sizes'); $('size').setAttribute('aria-expanded', 'false')</script>`);
  },
};

const datePicker: Pattern = {
  name: 'date picker dialog',
  body: (
    defects,
  ) => `${main(`<label for="date">Date</label><input id="date"><button type="button" id="pick" aria-label="Choose date" aria-haspopup="dialog">📅</button>`)}
    <template id="calendar"><div role="dialog" aria-modal="true" aria-label="Choose date"><h2 aria-live="polite">February 2026</h2>
      <table role="grid" aria-label="February 2026"><tr><th scope="col" abbr="Sunday">Su</th></tr><tr><td role="gridcell" tabindex="-1">1</td></tr></table>${defects.join('')}
      <button type="button" value="cancel">Cancel</button></div></template>
    <script>
      let shown = null;
      const close = () => { shown?.remove(); shown = null; $('pick').focus(); };
      $('pick').addEventListener('click', () => {
        if (shown) return close();
        shown = $('calendar').content.firstElementChild.cloneNode(true);
        document.body.append(shown);
        shown.querySelector('[value=cancel]').addEventListener('click', close);
        shown.querySelector('td').focus();
      });
      document.addEventListener('keydown', ({ key }) => { if (key === 'Escape') close(); });
    </script>`,
};

const feed: Pattern = {
  name: 'feed expander',
  body: (defects) =>
    main(`<div role="feed" aria-busy="false" aria-label="Restaurants">${spread(defects, 3)
      .map(
        (
          part,
          index,
        ) => `<article aria-posinset="${index + 1}" aria-setsize="3" aria-labelledby="r${index}" tabindex="0"><h2 id="r${index}">Restaurant ${index}</h2>
          <button type="button" class="more" aria-expanded="false" aria-controls="more${index}">More on ${index}</button><div id="more${index}"></div>
          <template>${part}</template></article>`,
      )
      .join('')}</div>
      <script>for (const button of document.querySelectorAll('.more')) button.addEventListener('click', async () => {
        const open = button.getAttribute('aria-expanded') !== 'true';
        button.setAttribute('aria-expanded', open);
        const place = $(button.getAttribute('aria-controls'));
        navigator.sendBeacon('/sent', 'opened');
        if (!open) return place.replaceChildren();
        await fetch('/data');
        place.append(button.parentElement.querySelector('template').content.cloneNode(true));
      });</script>`),
};

const table: Pattern = {
  name: 'table row expander',
  body(defects) {
    const [rows = '', grid = ''] = spread(defects, 2);
    return main(`<table><caption>Orders</caption><thead><tr><th scope="col">Order</th></tr></thead><tbody>
      <tr><td><button type="button" aria-expanded="false" aria-controls="row1 row2" onclick="toggle(this)">Order 1</button></td></tr>
      <tr id="row1" hidden><td>${rows}</td></tr><tr id="row2" hidden><td>Second</td></tr></tbody></table>
      <table role="treegrid" aria-label="Inbox"><tbody><tr role="row" aria-level="1" aria-expanded="false" tabindex="0" id="mail"><td role="gridcell">Treegrids are awesome</td></tr>
      <tr role="row" aria-level="2" id="answer" hidden><td role="gridcell">Answer ${grid}</td></tr></tbody></table>
      <script>$('mail').addEventListener('keydown', ({ key }) => { if (key === 'ArrowRight' && $('answer').hidden) toggle($('mail'), 'answer'); if (key === 'ArrowLeft' && !$('answer').hidden) toggle($('mail'), 'answer'); });</script>`);
  },
};

const sidebar: Pattern = {
  name: 'sidebar toggle',
  body(defects) {
    const [list = '', inner = ''] = spread(defects, 2);
    return `<style>#side { position: fixed; inset: 0 50% 0 0; background: #fff; visibility: hidden; transform: translateX(-100%); transition: transform 4s, visibility 4s }
      .open #side { visibility: visible; transform: none } #side + div { position: fixed; inset: 0; background: #000; opacity: 0; pointer-events: none; transition: opacity 4s }
      .open #side + div { opacity: .5; pointer-events: auto } header { position: relative; z-index: 2; text-align: right } #side { z-index: 1 }</style>
      <header><button type="button" id="burger" aria-label="Menu" aria-expanded="false" aria-controls="side">☰</button></header>
      <nav id="side" aria-label="Main"><ul><li><a href="/followed">Home</a>${list}</li></ul>
        <button type="button" aria-expanded="false" aria-controls="sideinner" onclick="toggle(this)">Categories</button><div id="sideinner" hidden>${inner}</div></nav><div></div>
      ${main('<p>Text</p>')}
      <script>$('burger').addEventListener('click', () => $('burger').setAttribute('aria-expanded', document.body.classList.toggle('open')));</script>`;
  },
};

export const PATTERNS: readonly Pattern[] = [
  ...[disclosure, accordion, tabs, menuButton, menubar, dialog, alertDialog, combobox, listbox, tree],
  ...[tooltip, carousel, popover, details, navigation, toolbar, datePicker, feed, table, sidebar],
];
