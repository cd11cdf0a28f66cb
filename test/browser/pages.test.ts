// Every page of the dashboard in light and dark theme at phone, tablet and desktop width.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { checkAxe } from './axe.ts'
import { noBrowser } from './browser.ts'
import { covered } from './covered.ts'
import { openPage } from './open-page.ts'

const widths = [390, 768, 1440]
const schemes = ['light', 'dark'] as const
const table = readFileSync(new URL('../../dashboard/app/pages.ts', import.meta.url), 'utf8')
const paths = [...table.matchAll(/^ {4}path: '([^']+)'/gm)].map(([, path = '']) => path)

/** Waits for two frames and asserts that no colour transition runs, as reduced motion requires. */
async function settle(page: Page): Promise<void> {
  const frame = 'await new Promise((done) => requestAnimationFrame(done))'
  const moving = 'document.getAnimations().filter((one) => one instanceof CSSTransition).length'
  const found = await page.evaluate(`(async () => { ${frame}; ${frame}; return ${moving} })()`)
  assert.equal(found, 0, 'transitions')
}

test(
  'every page passes the accessibility check, is at most as wide as the screen, and covers no text',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const { cairn, page, open, enter, picture } = await openPage(t)
    await enter()
    const { keys } = (await page.evaluate(
      "fetch('/api/v1/keys').then((response) => response.json())",
    )) as { keys: readonly { readonly id: string }[] }
    await cairn.rpc('eth_blockNumber')
    assert.ok(paths.length >= 10)
    for (const pattern of paths) {
      const path = pattern
        .replace(':key', keys[0]?.id ?? '')
        .replace(':request', '1')
        .replace(':cid', 'bafkqaaa')
      await open(path)
      await page.locator('.loading').first().waitFor({ state: 'detached' })
      const name = pattern === '/' ? 'overview' : pattern.slice(1).replaceAll(/\W+/g, '-')
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 })
        const wider = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        assert.ok(Number(wider) <= 0, `${path} is ${String(wider)} px wider than ${width}`)
        assert.deepEqual(
          await page.evaluate(covered),
          [],
          `${path} at ${width}: covered by buttons`,
        )
        const height = Number(await page.evaluate('document.documentElement.scrollHeight'))
        assert.ok(width < 1440 || height <= 2_700, `${path} is ${height} px long: three screens`)
        for (const colorScheme of schemes) {
          await page.emulateMedia({ colorScheme })
          await settle(page)
          await checkAxe(page, `${path} at ${width} in ${colorScheme}`)
          if (width !== 768) await picture(`${name}-${width}-${colorScheme}`)
        }
      }
    }
  },
)
