// Search in the sections of the documentation. The browser builds the index in one step.
import MiniSearch, { type SearchResult } from 'minisearch'

/** `before`, `match`, `after`: text around the first term found. */
export type Hit = {
  readonly url: string
  readonly title: string
  readonly page: string
  readonly before: string
  readonly match: string
  readonly after: string
}

export type Search = (query: string) => readonly Hit[]

type SearchText = {
  readonly pages: readonly (readonly [url: string, title: string])[]
  readonly sections: readonly (readonly [
    page: number,
    anchor: string,
    title: string,
    text: string,
  ])[]
}

type Section = {
  readonly id: number
  readonly url: string
  readonly title: string
  readonly page: string
  readonly text: string
}

const hitsMax = 12
const excerptLength = 60

/** Rejects if `url` cannot be read. */
export async function openSearch(url: string): Promise<Search> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`status ${response.status}`)
  const sections = sectionsOf((await response.json()) as SearchText)
  const index = new MiniSearch<Section>({ fields: ['title', 'page', 'text'] })
  index.addAll(sections)
  return (query) => {
    const wanted = query.toLowerCase()
    const options = {
      boost: { title: 4, page: 2 },
      prefix: true,
      fuzzy: (term: string) => (term.length > 4 ? 0.2 : false),
      // An exact name of a setting, method or error ranks first.
      boostDocument: (id: number) => (sections[id]?.title.toLowerCase() === wanted ? 10 : 1),
    }
    const all = index.search(query, { ...options, combineWith: 'AND' })
    const found = all.length > 0 ? all : index.search(query, options)
    return found.slice(0, hitsMax).flatMap((result) => hitOf(result, sections))
  }
}

function sectionsOf({ pages, sections }: SearchText): readonly Section[] {
  return sections.map(([at, anchor, title, text], id) => {
    const [url = '', page = ''] = pages[at] ?? []
    const isPage = anchor === ''
    return {
      id,
      url: isPage ? url : `${url}#${anchor}`,
      title: isPage ? page : title,
      page,
      text,
    }
  })
}

function hitOf({ id, terms }: SearchResult, sections: readonly Section[]): readonly Hit[] {
  const section = sections[Number(id)]
  if (section === undefined) return []
  const { url, title, page, text } = section
  const lower = text.toLowerCase()
  const [first] = terms
    .map((term) => ({ term, at: lower.indexOf(term) }))
    .filter(({ at }) => at >= 0)
    .toSorted((one, other) => one.at - other.at)
  const at = first?.at ?? 0
  const end = at + (first?.term.length ?? 0)
  // Start at a word boundary.
  const start = at <= excerptLength ? 0 : text.indexOf(' ', at - excerptLength - 1) + 1
  const from = Math.min(start, at)
  const to = Math.min(text.length, end + 2 * excerptLength)
  const before = `${from > 0 ? '… ' : ''}${text.slice(from, at)}`
  const after = `${text.slice(end, to)}${to < text.length ? ' …' : ''}`
  return [
    { url, title, page: title === page ? '' : page, before, match: text.slice(at, end), after },
  ]
}
