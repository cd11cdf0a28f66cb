// What a page costs to open.
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'

/** Of the first page, all that it loads together. */
export const firstPageBytesMax = 80_000

/** The document and every script and style it has loaded so far, each gzipped as the server would send it. */
export async function gzippedBytes(page: Page): Promise<number> {
  const names = (await page.evaluate(
    "performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)",
  )) as readonly string[]
  const assets = names.filter((name) => name.startsWith('/dashboard/'))
  const paths = new Set(['/dashboard/index.html', ...assets])
  const folder = new URL('../../dist', import.meta.url).pathname
  return [...paths].reduce((sum, path) => sum + gzipSync(readFileSync(folder + path)).length, 0)
}
