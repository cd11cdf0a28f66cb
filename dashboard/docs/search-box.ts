// The search field: `/` focuses it, the arrow keys move through the results, Enter opens the first, Escape closes the list. The
// first focus loads the index.
import type { Hit, Search } from './search.ts'

export function startSearch(form: HTMLFormElement): void {
  const input = form.querySelector('input')
  const results = form.querySelector<HTMLElement>('.results')
  const status = results?.querySelector('p')
  const list = results?.querySelector('ul')
  const index = form.dataset['index']
  if (!input || !results || !status || !list || index === undefined) return

  let loading: Promise<Search> | null = null
  const load = (): Promise<Search> => {
    loading ??= import('./search.ts').then(({ openSearch }) => openSearch(index))
    return loading
  }

  const close = (): void => {
    results.hidden = true
  }

  const show = async (): Promise<void> => {
    const query = input.value.trim()
    if (query === '') return close()
    try {
      const hits = (await load())(query)
      // The query may have changed while the index was loading.
      if (query !== input.value.trim()) return
      list.replaceChildren(...hits.map(itemOf))
      status.textContent = sentenceOf(hits.length, query)
    } catch {
      loading = null
      list.replaceChildren()
      status.textContent = 'The search could not be loaded. Reload the page to try again.'
    }
    results.hidden = false
  }

  input.addEventListener('focus', () => {
    load().catch(() => (loading = null))
  })
  input.addEventListener('input', () => void show())
  input.addEventListener('click', () => void show())
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void show().then(() => list.querySelector('a')?.click())
  })
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      close()
      input.focus()
    }
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    const stops: readonly HTMLElement[] = [input, ...list.querySelectorAll('a')]
    const at = stops.findIndex((one) => one === document.activeElement)
    stops[at + (event.key === 'ArrowDown' ? 1 : -1)]?.focus()
    event.preventDefault()
  })
  form.addEventListener('focusout', (event) => {
    const next = event.relatedTarget
    if (next instanceof Node && form.contains(next)) return
    close()
  })
  // Otherwise a click on a result would move the focus and close the list before it takes effect.
  results.addEventListener('mousedown', (event) => event.preventDefault())
  list.addEventListener('click', close)
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return
    if (document.activeElement === input) return
    event.preventDefault()
    input.focus()
  })
}

function sentenceOf(count: number, query: string): string {
  if (count === 0) return `No result for “${query}”`
  return count === 1 ? '1 result' : `${count} results`
}

function itemOf({ url, title, page, before, match, after }: Hit): HTMLElement {
  const item = document.createElement('li')
  const link = document.createElement('a')
  link.href = url
  const name = document.createElement('b')
  name.textContent = title
  const place = document.createElement('small')
  place.className = 'soft'
  place.textContent = page
  const excerpt = document.createElement('span')
  const found = document.createElement('mark')
  found.textContent = match
  excerpt.append(before, found, after)
  link.append(name, place, excerpt)
  item.append(link)
  return item
}
