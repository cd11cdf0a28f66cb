// The texts that the documentation search loads in the browser and indexes there: `{ pages: [[url, title]], sections: [[page,
// anchor, title, text]] }`.

export function searchText({ pages }) {
  const all = [...pages.values()].filter(({ source }) => source !== 'README.md')
  const sections = all.flatMap((page, at) =>
    page.sections.map(({ id, title, text }) => [at, id, title, text]),
  )
  return JSON.stringify({ pages: all.map(({ url, title }) => [url, title]), sections })
}
