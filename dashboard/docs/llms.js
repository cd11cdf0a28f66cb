// llms.txt (llmstxt.org): a title, a summary, and lists of links to the pages as Markdown, by purpose.

const summary =
  'Cairn is a self-hosted Infura: an Ethereum JSON-RPC API and an IPFS API behind API keys, in one process, with every answer proved that can be.'

export function llmsText({ pages, groups }) {
  const lists = groups.map(({ title, entries }) => {
    const items = entries.map(({ source, title: name }) => lineOf(name, pages.get(source)))
    return `## ${title === '' ? 'Start' : title}\n\n${items.join('\n')}\n`
  })
  const listed = groups.flatMap(({ entries }) => entries.map((entry) => entry.source))
  const rest = [...pages.values()].filter(
    ({ source }) => source !== 'README.md' && !listed.includes(source),
  )
  // "Optional" is the section that a reader may skip.
  const optional = rest.map((page) => lineOf(page.title, page)).join('\n')
  return `# Cairn\n\n> ${summary}\n\n${lists.join('\n')}\n## Optional\n\n${optional}\n`
}

function lineOf(name, { source, summary: text }) {
  return `- [${name}](/docs/${source})${text === '' ? '' : `: ${text}`}`
}
