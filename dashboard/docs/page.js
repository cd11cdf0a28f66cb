// The HTML of a documentation page: bar with search, navigation by purpose, content, table of contents, previous and next page.
import { escape } from './render.js'

/** Minimum number of headings for a table of contents. */
const headingsMin = 3
/** With more headings than this, the table of contents has only the upper level. */
const headingsMax = 40

const mark = `<svg width="26" height="26" viewBox="0 0 32 32" fill="var(--accent)" aria-hidden="true"><ellipse cx="16" cy="25.5" rx="12" ry="4.5"/><ellipse cx="16" cy="17" rx="8.5" ry="3.6" opacity="0.85"/><ellipse cx="16" cy="10" rx="5.2" ry="2.8" opacity="0.7"/><ellipse cx="16" cy="4.7" rx="2.6" ry="1.8" opacity="0.55"/></svg>`

/** `assets`: paths of `style`, `theme`, `script`, `icon` and `search`. `neighbours`: the pages before and after, or undefined. */
export function pageHtml(page, { site, assets, neighbours }) {
  const isHome = page.name === ''
  const main = isHome ? homeOf(site) : articleOf(page, site, neighbours)
  return documentOf({
    title: isHome ? 'Cairn documentation' : `${page.title} · Cairn documentation`,
    summary: page.summary,
    alternate: `/docs/${page.source}`,
    main,
    navigation: navigationOf(site, page),
    assets,
  })
}

export function notFoundHtml({ site, assets }) {
  const main = `<article class="prose"><h1>No such page</h1>
<p>The documentation of this server has no page with this address. Search for it, or start at the
<a href="/docs/">overview</a>.</p></article>`
  return documentOf({
    title: 'No such page · Cairn documentation',
    summary: '',
    alternate: null,
    main,
    navigation: navigationOf(site, null),
    assets,
  })
}

function documentOf({ title, summary, alternate, main, navigation, assets }) {
  const twin =
    alternate === null ? '' : `\n<link rel="alternate" type="text/markdown" href="${alternate}">`
  const description =
    summary === '' ? '' : `\n<meta name="description" content="${escape(summary)}">`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(title)}</title>${description}
<link rel="icon" href="${assets.icon}" type="image/svg+xml">${twin}
<link rel="stylesheet" href="${assets.style}">
<script src="${assets.theme}"></script>
<script type="module" src="${assets.script}"></script>
</head>
<body class="docs">
<a class="skip button" href="#content">Skip to content</a>
<header class="docs-bar">
<a class="brand" href="/docs/">${mark}<span>Cairn <span class="soft">docs</span></span></a>
<form class="search" role="search" aria-label="Documentation" data-index="${assets.search}">
<label class="unseen" for="search">Search the documentation</label>
<input class="input" id="search" type="search" placeholder="Search" autocomplete="off" spellcheck="false" maxlength="100" aria-controls="results">
<kbd aria-hidden="true">/</kbd>
<div class="results" id="results" hidden><p class="soft" role="status"></p><ul class="plain"></ul></div>
</form>
<div class="docs-tools"><div class="themes" role="group" aria-label="Theme"></div><a class="button small quiet" href="/">Server</a></div>
<button class="button small quiet docs-menu" type="button" aria-expanded="false" aria-controls="side">Menu</button>
</header>
<div class="docs-frame">
<div class="docs-side" id="side">${navigation}</div>
<main id="content" tabindex="-1">
${main}
</main>
</div>
</body>
</html>
`
}

function navigationOf({ groups, pages }, page) {
  const current = page === null ? null : listedSource(groups, page.source)
  const lists = groups.map(({ title, entries }, at) => {
    const items = entries.map((entry) => {
      const here =
        entry.source === page?.source
          ? ' aria-current="page"'
          : entry.source === current
            ? ' aria-current="true"'
            : ''
      const { url } = pages.get(entry.source)
      return `<li><a class="nav-link" href="${url}"${here}>${escape(entry.title)}</a></li>`
    })
    if (title === '') return `<ul class="plain">${items.join('\n')}</ul>`
    const id = `nav-${at}`
    return `<div class="nav-group"><p class="nav-title" id="${id}">${escape(title)}</p>
<ul class="plain" aria-labelledby="${id}">${items.join('\n')}</ul></div>`
  })
  return `<nav aria-label="Documentation">${lists.join('\n')}</nav>`
}

/** The page in the navigation that represents `source`: itself, or the list of decisions. */
function listedSource(groups, source) {
  const isListed = groups.some(({ entries }) => entries.some((entry) => entry.source === source))
  return isListed ? source : source.replace(/[^/]+$/, 'README.md')
}

function articleOf(page, site, { before, after }) {
  const contents = contentsOf(page)
  const group = page.group === '' ? '' : `<p class="docs-group">${escape(page.group)}</p>\n`
  return `<article class="prose">
${group}${page.html}
<footer class="docs-foot">
<nav class="docs-neighbours" aria-label="Neighbouring pages">${neighbourOf(before, 'Previous')}${neighbourOf(after, 'Next')}</nav>
<p><a href="/docs/${page.source}">This page as Markdown</a></p>
</footer>
</article>
${contents}`
}

function neighbourOf(page, word) {
  if (page === undefined) return '<span></span>'
  const direction = word === 'Next' ? 'next' : 'prev'
  return `<a class="docs-neighbour" rel="${direction}" href="${page.url}"><small>${word}</small><span>${escape(page.title)}</span></a>`
}

function contentsOf({ headings }) {
  const upper = Math.min(...headings.map(({ level }) => level))
  const shown = headings.filter(
    ({ level }) => level <= (headings.length > headingsMax ? upper : upper + 1),
  )
  if (shown.length < headingsMin) return ''
  const items = shown.map(({ level, id, text }) => {
    const inner = level > upper ? ' class="inner"' : ''
    return `<li${inner}><a href="#${id}">${escape(text)}</a></li>`
  })
  return `<nav class="docs-contents" aria-label="On this page"><p class="nav-title">On this page</p>
<ul class="plain">${items.join('\n')}</ul></nav>`
}

/** The first page: each group as cards or as a list, instead of the tables of docs/README.md. */
function homeOf({ groups, pages }) {
  const sections = groups.map(({ title, entries }) => {
    const cards = entries.map(({ source, title: name, note }) => {
      const { url, summary } = pages.get(source)
      const text = note === '' ? summary : note
      return `<li><a class="docs-card" href="${url}"><b>${escape(name)}</b><span class="soft">${escape(text)}</span></a></li>`
    })
    const list = `<ul class="plain docs-cards">${cards.join('\n')}</ul>`
    return title === ''
      ? list
      : `<section class="stack tight"><h2>${escape(title)}</h2>${list}</section>`
  })
  return `<article class="docs-home">
<header class="stack tight"><h1>Documentation</h1>
<p class="soft">Cairn serves an Ethereum JSON-RPC API and an IPFS API behind API keys, and proves every answer that it can. This
documentation belongs to the version of this server and needs no other host.</p></header>
${sections.join('\n')}
<p class="soft">Each page is also Markdown: add its file name, as in <a href="/docs/get-started.md">/docs/get-started.md</a>. <a href="/llms.txt">/llms.txt</a> lists all pages.</p>
</article>`
}
