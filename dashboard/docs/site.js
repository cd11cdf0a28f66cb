// The pages of docs/ and their order: docs/README.md lists them by purpose, and docs/explanation/decisions/README.md lists the
// decisions. The build fails if a page is not listed, or if a link or an anchor has no target.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { lexer } from 'marked'
import { filesOf, root } from '../built-folder.js'
import { plain, renderPage } from './render.js'

const folder = join(root, 'docs')

/** Base path of the site. */
const base = '/docs/'

/** Paths of all sources below docs/, sorted by name. */
function sourcesOfPages() {
  return filesOf(folder)
    .filter((path) => path.endsWith('.md'))
    .toSorted((one, other) => (one < other ? -1 : 1))
}

/**
 * `pages`: by source, each with `source`, `markdown`, `name` (path below `/docs/`, '' for the first page), `url`, `group` (title of
 * its group, '' for the first page) and the result of `renderPage`. `groups`: `{ title, entries: [{ source, title, note }] }`.
 */
export function readSite() {
  const sources = sourcesOfPages()
  const urls = new Map(sources.map((source) => [source, base + nameOf(source)]))
  const groups = readGroups(readFileSync(join(folder, 'README.md'), 'utf8'))
  const site = { urlOf: (source) => urls.get(source), repository: repositoryOf() }
  const pages = new Map(
    sources.map((source) => {
      const markdown = readFileSync(join(folder, source), 'utf8')
      const name = nameOf(source)
      const group = groupOf(groups, source)
      const rendered = renderPage(source, markdown, site)
      return [source, { source, markdown, name, url: base + name, group, ...rendered }]
    }),
  )
  checkLinks(pages)
  return { pages, groups }
}

/** `README.md` of a folder is the page of the folder. */
function nameOf(source) {
  return source.replace(/\.md$/, '').replace(/(^|\/)README$/, '')
}

/** Links before the first heading of level 2 form a group without a title; each such heading starts the next group. */
function readGroups(readme) {
  const groups = [{ title: '', entries: [] }]
  for (const token of lexer(readme)) {
    if (token.type === 'heading' && token.depth === 2) {
      groups.push({ title: plain(token.tokens), entries: [] })
      continue
    }
    const rows = token.type === 'table' ? token.rows : []
    const cells = rows.map(([task, page]) => ({
      note: plain(task.tokens),
      links: linksOf(page.tokens),
    }))
    const items = token.type === 'table' ? [] : [{ note: '', links: linksOf([token]) }]
    const { entries } = groups.at(-1)
    for (const { note, links } of [...cells, ...items]) {
      for (const { href, tokens } of links) {
        const isListed = groups.some((group) => group.entries.some(({ source }) => source === href))
        if (!isListed) entries.push({ source: href, title: plain(tokens), note })
      }
    }
  }
  return groups.filter(({ entries }) => entries.length > 0)
}

function linksOf(tokens) {
  return tokens.flatMap((token) => {
    if (token.type === 'link') return token.href.endsWith('.md') ? [token] : []
    return linksOf(token.tokens ?? token.items ?? [])
  })
}

function groupOf(groups, source) {
  if (source === 'README.md') return ''
  const listed = groups.find(({ entries }) => entries.some((entry) => entry.source === source))
  if (listed !== undefined) return listed.title
  const decisions = 'explanation/decisions/'
  if (source.startsWith(decisions)) return groupOf(groups, `${decisions}README.md`)
  throw new Error(`docs/${source} is not listed in docs/README.md`)
}

function checkLinks(pages) {
  for (const page of pages.values()) {
    for (const { source, id } of page.links) {
      if (id !== '' && !pages.get(source).anchors.has(id)) {
        throw new Error(`docs/${page.source}: docs/${source} has no heading #${id}`)
      }
    }
  }
}

/** Web URL of the repository in package.json; null: none. */
function repositoryOf() {
  const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const url = typeof repository === 'string' ? repository : repository?.url
  return url?.replace(/^git\+/, '').replace(/\.git$/, '') ?? null
}
