// The reply of `ls` as text, in Kubo's columns.
// Tested by src/kubo/commands/node/node-commands.test.ts

export type ListedLink = {
  readonly Name: string
  readonly Hash: string
  readonly Size: bigint | number
  /** 1: directory. */
  readonly Type: number
  /** Target of a symbolic link, otherwise ''. */
  readonly Target: string
  readonly Mode: number
  readonly ModTime: string
}

export type Listing = {
  readonly Objects: readonly { readonly Hash: string; readonly Links: readonly ListedLink[] }[]
}

export type ListTextOptions = {
  /** Whether to print a line with column names. */
  readonly headers: boolean
  readonly sizes: boolean
}

/** Minimum widths of all columns but the last; a space follows each. */
type Widths = readonly [number, number]

/** Widths for lines that are sent before the next ones are known. */
export const streamWidths: Widths = [9, 9]

/** `widths` null: as wide as the longest value. With known widths, each of several objects has a heading. */
export function listText(
  { Objects: objects }: Listing,
  { headers, sizes }: ListTextOptions,
  widths: Widths | null,
): string {
  const groups = objects.map(({ Hash, Links }) => {
    const rows = Links.map((link) => cells(link))
    const all = headers && widths === null ? [['Hash', 'Size', 'Name'] as const, ...rows] : rows
    const [hashWidth, sizeWidth] = widths ?? [longest(all, 0), longest(all, 1)]
    const heading = objects.length > 1 ? `${Hash}:\n` : ''
    const lines = all.map(([hash, size, name]) => {
      const sized = sizes ? `${size.padEnd(sizeWidth)} ` : ''
      return `${hash.padEnd(hashWidth)} ${sized}${name}\n`
    })
    return heading + lines.join('')
  })
  return groups.join('\n')
}

function cells({ Hash, Size, Name, Type }: ListedLink): readonly [string, string, string] {
  const isDirectory = Type === 1
  return [Hash, isDirectory ? '-' : String(Size), isDirectory ? `${Name}/` : Name]
}

function longest(rows: readonly (readonly string[])[], column: number): number {
  return rows.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), 0)
}
