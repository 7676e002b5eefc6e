/**
 * A small page of about everything that pages are made of, right and wrong, so that the validator's code has been
 * loaded and compiled before the first real page comes.
 */
const SECTION = `
<section id="s-INDEX" class="a b c">
<h2>Heading <span id="h-INDEX">INDEX</span></h2>
<p style="color: #333; margin: 0 auto">Some ordinary text with <a href="https://www.example.org/path/INDEX?a=1&amp;b=2#c"
class="reference external" title="A title">a link</a>, <em>stress</em>, <code class="docutils literal"><span
class="pre">code</span></code> &mdash; and caf&eacute;.</p>
<ul><li><p>One <strong>item</strong></p></li><li aria-label="x">Two<ul><li>nested</li></ul></li></ul>
<table class="docutils"><caption>Numbers</caption><thead><tr><th scope="col">A</th><th colspan="2">B</th></tr></thead>
<tbody><tr><td rowspan="2">1</td><td>2</td><td>3</td></tr><tr><td>4</td><td>5</td></tr></tbody></table>
<form action="/search" method="get"><label for="q-INDEX">Search</label><input id="q-INDEX" type="text" name="q"
placeholder="words"><input type="number" min="1" max="9" step="1"><select name="n"><option selected>1<option>2</select>
<button type="submit" class="btn btn-primary" data-toggle="x">Go</button></form>
<pre><span class="kn">import</span> <span class="nn">sys</span>
<span class="k">def</span> <span class="nf">f</span><span class="p">(</span><span class="n">x</span><span class="p">):</span>
</pre><dl class="py function"><dt class="sig sig-object py" id="f-INDEX"><span class="sig-name descname">f</span>(<em>x</em>)</dt>
<dd>Text about it.</dd></dl>
<img src="a b.png"><img src="image.png" alt="An image" width="10" height="20" srcset="a.png 1x, b.png 2x">
<div role="navigation" aria-expanded="false"><center>Old</center><p><div>Wrong</div></p></div>
<figure><svg viewBox="0 0 10 10" width="10" height="10"><path d="M0 0L10 10"/><circle cx="5" cy="5" r="2" fill="red"/></svg>
<figcaption>Drawing</figcaption></figure><time datetime="2024-02-30">then</time><iframe src="https://example.org/"></iframe>
</section>`;

const PAGE = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Warm-up</title><link rel="stylesheet" href="style.css" media="screen and (min-width: 600px)"><script src="x.js" defer
type="text/javascript"></script><style>body { font: 14px/1.5 "Open Sans", sans-serif; colr: red }
@media print { .a > .b:hover { display: none } }</style><script>window.x = 1 < 2 && "</p>";</script></head>
<body><nav><a href="#main">Skip</a></nav><main id="main"><h1>Warm-up</h1>
${Array.from({ length: 12 }, (_, index) => SECTION.replaceAll('INDEX', String(index))).join('\n')}
</main><footer>End</footer></body></html>
`;

export const WARM_UP_DOCUMENT = Buffer.from(PAGE);
