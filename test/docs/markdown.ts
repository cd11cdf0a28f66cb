// Markdown tables and links for the generated pages.
// Tested by test/docs.test.ts

export function page(title: string, text: string, ...parts: readonly string[]): string {
  const note = '<!-- Generated from the source by `npm run docs`. Edit the source. -->'
  return [`# ${title}`, note, text, ...parts].join('\n\n') + '\n'
}

export function markdownTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(headings), `|${'---|'.repeat(headings.length)}`, ...rows.map(line)].join('\n')
}
