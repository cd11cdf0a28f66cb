// Accessibility check of a page with axe-core: keyboard, screen reader, contrast.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

type Finding = {
  readonly id: string
  readonly impact: string | null
  readonly help: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

/** Fails on serious and critical findings and lists them. `place` names the page in the message. */
export async function checkAxe(page: Page, place: string): Promise<void> {
  // Runs in the debugger, so the content policy of the page does not apply.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(source)
  const { violations } = (await page.evaluate("axe.run({ resultTypes: ['violations'] })")) as {
    violations: readonly Finding[]
  }
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  const lines = grave.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${place}: ${id}: ${help}: ${html} ${failureSummary}`),
  )
  assert.deepEqual(lines, [])
}
