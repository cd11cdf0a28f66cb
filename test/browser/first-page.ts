// Measures the size of the first page load.
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'

/** Maximum bytes of the first page load, gzipped, in total. */
export const firstPageBytesMax = 80_000

/** Gzipped bytes of the document and of the scripts and styles that it has loaded so far. */
export async function gzippedBytes(page: Page): Promise<number> {
  const names = (await page.evaluate(
    "performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)",
  )) as readonly string[]
  const assets = names.filter((name) => name.startsWith('/dashboard/'))
  const paths = new Set(['/dashboard/index.html', ...assets])
  const folder = new URL('../../dist', import.meta.url).pathname
  return [...paths].reduce((sum, path) => sum + gzipSync(readFileSync(folder + path)).length, 0)
}
