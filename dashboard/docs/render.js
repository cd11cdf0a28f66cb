// Renders a page of docs/ from Markdown to HTML with anchors on headings and reference rows, and extracts the sections for the
// search. Rewrites links between pages to paths of the site; the build fails if a link has no target.
import { posix } from 'node:path'
import { Marked } from 'marked'

/**
 * `source`: path of the page below docs/. `site.urlOf(source)`: path of a page in the site, or undefined.
 * `site.repository`: URL of the repository, or null. Returns `{ title, summary, html, headings, anchors, sections, links }`:
 * headings `{ level, id, text }`; sections `{ id, title, text }`, in the order of the page; links `{ source, id }` to
 * pages of docs/, to be checked when all pages are rendered.
 */
export function renderPage(source, markdown, site) {
  const page = {
    title: '',
    summary: '',
    headings: [],
    anchors: new Set(),
    sections: [{ id: '', title: '', text: '' }],
    links: [],
  }
  const marked = new Marked({ gfm: true, renderer: rendererOf(source, page, site) })
  const tokens = marked.lexer(markdown)
  page.title = plain(tokens.find(({ type, depth }) => type === 'heading' && depth === 1)?.tokens)
  const first = tokens.find(({ type }) => type === 'paragraph')
  page.summary = firstSentence(plain(first?.tokens))
  const html = marked.parser(tokens)
  return { ...page, html, sections: page.sections.filter(({ title, text }) => title + text !== '') }
}

function rendererOf(source, page, site) {
  const add = (text) => {
    const section = page.sections.at(-1)
    section.text = `${section.text} ${text}`.trim()
  }
  // A list or a quotation renders its own paragraphs; add its text once, with the outer block.
  let depth = 0
  const block = (token, html) => {
    if (depth === 0) add(plain(token.tokens ?? token.items?.flatMap((item) => item.tokens)))
    return html
  }
  const inside = (render) => {
    depth += 1
    try {
      return render()
    } finally {
      depth -= 1
    }
  }

  // Makes a setting, error, method or metric a target of links and a search result. Returns its anchor, or null.
  const addRow = ([first, ...rest]) => {
    const name = source.startsWith('reference/') ? codeAlone(first.tokens) : null
    const text = rest.map((cell) => plain(cell.tokens)).join(' ')
    if (name === null) {
      add(`${plain(first.tokens)} ${text}`)
      return null
    }
    const id = unique(page.anchors, name.replaceAll(/[^\w.$-]+/g, '-').replace(/-$/, ''))
    page.sections.splice(-1, 0, { id, title: name, text })
    return id
  }

  return {
    html: ({ text }) => (/^\s*<!--[^]*-->\s*$/.test(text) ? '' : escape(text)),
    heading({ depth: level, tokens }) {
      const text = plain(tokens)
      const inner = this.parser.parseInline(tokens)
      if (level === 1) return `<h1>${inner}</h1>\n`
      const id = unique(page.anchors, slugOf(text))
      page.headings.push({ level, id, text })
      page.sections.push({ id, title: text, text: '' })
      const link = `<a class="anchor" href="#${id}" aria-label="Link to ${escape(text)}">#</a>`
      return `<h${level} id="${id}">${inner} ${link}</h${level}>\n`
    },
    paragraph(token) {
      return block(token, `<p>${this.parser.parseInline(token.tokens)}</p>\n`)
    },
    blockquote(token) {
      const html = inside(() => this.parser.parse(token.tokens))
      return block(token, `<blockquote>${html}</blockquote>\n`)
    },
    list(token) {
      const tag = token.ordered ? 'ol' : 'ul'
      const items = inside(() =>
        token.items.map((item) => `<li>${this.parser.parse(item.tokens)}</li>`),
      )
      const start = token.ordered && token.start !== 1 ? ` start="${token.start}"` : ''
      return block(token, `<${tag}${start}>\n${items.join('\n')}\n</${tag}>\n`)
    },
    code({ text, lang }) {
      if (depth === 0) add(text)
      const language = (lang ?? '').split(/\s/)[0]
      const name = language === '' ? '' : ` data-language="${escape(language)}"`
      return `<div class="code"${name}><pre tabindex="0"><code>${escape(text)}</code></pre></div>\n`
    },
    table({ header, rows }) {
      const inline = (cell) => this.parser.parseInline(cell.tokens)
      const head = header.map((cell) => `<th scope="col">${inline(cell)}</th>`).join('')
      const body = rows.map((cells) => {
        const id = addRow(cells)
        const html = cells.map((cell) => `<td>${inline(cell)}</td>`).join('')
        return id === null ? `<tr>${html}</tr>` : `<tr id="${id}">${html}</tr>`
      })
      const table = `<table><thead><tr>${head}</tr></thead>\n<tbody>\n${body.join('\n')}\n</tbody></table>`
      return `<div class="table-wrap" tabindex="0" role="group" aria-label="Table">${table}</div>\n`
    },
    link({ href, tokens }) {
      const inner = this.parser.parseInline(tokens)
      const target = targetOf(source, href, page, site)
      return target === null ? `<span>${inner}</span>` : `<a href="${escape(target)}">${inner}</a>`
    },
    image: ({ text }) => escape(text),
  }
}

function targetOf(source, href, page, site) {
  if (/^[a-z][a-z0-9+.-]*:/i.test(href)) return href
  const [file, id = ''] = href.split('#')
  const path = file === '' ? source : posix.join(posix.dirname(source), file)
  const url = site.urlOf(path)
  if (url !== undefined) {
    page.links.push({ source: path, id })
    return id === '' ? url : file === '' ? `#${id}` : `${url}#${id}`
  }
  // A file of the project outside docs/.
  const outside = posix.join('docs', path)
  if (path.endsWith('.md') && !path.startsWith('../')) {
    throw new Error(`docs/${source}: no page ${href}`)
  }
  return site.repository === null ? null : `${site.repository}/blob/main/${outside}`
}

/** The plain text of inline and block tokens. */
export function plain(tokens) {
  return (tokens ?? [])
    .map((token) => {
      if (token.type === 'html') return ''
      if (token.type === 'list')
        return plain(token.items.flatMap((item) => [...item.tokens, space]))
      if (token.tokens !== undefined) return plain(token.tokens) + (isBlock(token) ? ' ' : '')
      return token.type === 'br' ? ' ' : unescaped(token.text ?? '')
    })
    .join('')
    .replaceAll(/\s+/g, ' ')
    .trimEnd()
}

const space = { type: 'text', text: ' ' }
const isBlock = ({ type }) => type === 'paragraph' || type === 'heading' || type === 'text'

/** The content of a cell that is a single code span; null: any other cell. */
function codeAlone(tokens) {
  const [only, ...others] = tokens
  return only?.type === 'codespan' && others.length === 0 ? unescaped(only.text) : null
}

/** Anchor of a heading, as GitHub builds it. */
function slugOf(text) {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

function unique(anchors, wanted) {
  let id = wanted
  for (let at = 1; anchors.has(id); at += 1) id = `${wanted}-${at}`
  anchors.add(id)
  return id
}

function firstSentence(text) {
  return /^.*?[.:](?=\s|$)/.exec(text)?.[0].replace(/:$/, '.') ?? text
}

const entities = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" }

function unescaped(text) {
  return text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity])
}

export function escape(text) {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
