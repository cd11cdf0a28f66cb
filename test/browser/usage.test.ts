// The usage page in a browser: live calls, and the same figures as the command line.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkAxe } from './axe.ts'
import { noBrowser } from './browser.ts'
import { openSignedIn } from './signed-in.ts'

test(
  'calls show up live, in the window, by method and by reason, with the figures of the command line',
  { skip: noBrowser },
  async (t) => {
    const { cairn, page, open, picture } = await openSignedIn(t)
    await open('/usage')
    await page.getByText('No calls in this period').waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    for (let index = 0; index < 20; index++) await cairn.rpc('eth_chainId')
    await cairn.rpc('eth_getBalance', ['nothing'])
    await page.locator('[data-live]', { hasText: '21' }).waitFor()
    await page.getByRole('button', { name: '15 min' }).click()
    const row = page.getByRole('row').filter({ hasText: 'eth_chainId' }).first()
    await row.waitFor()
    const cells = await row.getByRole('cell').allInnerTexts()
    assert.equal(cells[0]?.replace(/\D/g, ''), '20')
    await page
      .getByRole('row')
      .filter({ hasText: 'Invalid params' })
      .getByText('Caller', { exact: true })
      .waitFor()
    await checkAxe(page, 'usage')
    await picture('usage')

    const { usage } = (await cairn.cli('usage')) as unknown as {
      usage: readonly { method: string; requests: number }[]
    }
    const counted = usage.filter(({ method }) => method === 'eth_chainId')
    assert.equal(
      counted.reduce((sum, { requests }) => sum + requests, 0),
      20,
    )

    const [csv] = await Promise.all([
      page.waitForEvent('download'),
      page
        .getByRole('button', { name: 'Export' })
        .click()
        .then(() => page.getByRole('menuitem', { name: 'CSV' }).click()),
    ])
    assert.equal(csv.suggestedFilename(), 'usage.csv')
  },
)

test(
  'usage is filtered by method, network, own time and account, in an address that can be opened again',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const { cairn, page, open, expect, picture } = await openSignedIn(t)
    for (let at = 0; at < 3; at++) await cairn.rpc('eth_chainId')
    await cairn.rpc('eth_gasPrice')
    await page.setViewportSize({ width: 1440, height: 900 })
    await open('/usage?window=15m')
    const calls = page.locator('.figure').filter({ hasText: 'Calls' }).locator('.amount')
    const methods = page.getByRole('table', { name: 'Usage by method' }).getByRole('row')
    await calls.getByText('4', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'eth_chainId' }).click()
    await calls.getByText('3', { exact: true }).waitFor()
    assert.equal(await methods.count(), 2, 'the heading and one method')
    await page.getByLabel('Method').selectOption('eth_gasPrice')
    await calls.getByText('1', { exact: true }).waitFor()
    await page.getByLabel('Network').selectOption('dev')
    await page.getByLabel('Account', { exact: true }).last().selectOption('all accounts')
    await page.getByRole('table', { name: 'Usage by account' }).getByText('default').waitFor()
    await page.getByRole('button', { name: 'Local' }).click()
    await page.getByLabel('Compare').selectOption('period before')
    await page
      .locator('.figure')
      .filter({ hasText: 'Latency' })
      .getByText('no calls before')
      .waitFor()
    await page.reload()
    await calls.getByText('1', { exact: true }).waitFor()
    assert.match(
      page.url(),
      /usage\?window=15m&of=all&network=dev&method=eth_gasPrice&compare=before&zone=local$/,
    )
    await checkAxe(page, 'usage, filtered')
    await page.getByRole('button', { name: 'UTC' }).click()
    await page.getByRole('button', { name: 'From–to' }).click()
    await page.getByLabel('From').fill('2026-01-01T00:00')
    await page.getByLabel('To', { exact: true }).fill('2026-01-03T00:00')
    await page.getByText('No calls in this period').waitFor()
    await picture('usage-1440-light-own-time')
    await checkAxe(page, 'usage, own time')
    await page.setViewportSize({ width: 390, height: 844 })
    await page.emulateMedia({ colorScheme: 'dark' })
    await checkAxe(page, 'usage, own time, on a phone')
    await picture('usage-390-dark-own-time')
    expect(/status of 400/)
    await page.getByLabel('To', { exact: true }).fill('2025-12-31T00:00')
    await page.getByRole('alert').filter({ hasText: 'until must be after from' }).waitFor()
  },
)

test(
  'an owner sets the recipients of alerts, and a webhook to a private address is refused',
  { skip: noBrowser },
  async (t) => {
    const { page, open, expect } = await openSignedIn(t)
    expect(/status of 400/)
    await open('/settings?tab=alerts')
    await page.getByLabel('Email addresses').fill('owner@example.com')
    await page.getByRole('button', { name: 'Save alerts' }).click()
    await page.getByText('Alerts saved').waitFor()
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByText('owner@example.com: no mail server is set').waitFor()
    await page.getByLabel('Webhooks').fill('https://127.0.0.1/hook')
    await page.getByRole('button', { name: 'Save alerts' }).click()
    await page.getByRole('alert').filter({ hasText: 'not on the public internet' }).waitFor()
    await page.reload()
    await page.getByLabel('Email addresses').waitFor()
    assert.equal(await page.getByLabel('Email addresses').inputValue(), 'owner@example.com')
    assert.equal(await page.getByLabel('Webhooks').inputValue(), '')
  },
)

test(
  'an owner adds rules on errors and latency, and sees which one is broken',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const { cairn, page, open, expect, picture } = await openSignedIn(t)
    for (let at = 0; at < 25; at++) await cairn.rpc('eth_getBalance', ['nothing'])
    await open('/settings?tab=alerts')
    await page.getByLabel('Email addresses').fill('owner@example.com')
    await page.getByRole('button', { name: 'Add rule' }).click()
    await page.getByRole('button', { name: 'Add rule' }).click()
    const second = page.getByRole('group', { name: 'Rule 2' })
    await second.getByLabel('Alert on').selectOption('latency, p95')
    assert.equal(await second.getByLabel('Above, in ms').inputValue(), '500')
    await second.getByLabel('Key').selectOption({ index: 1 })
    await second.getByLabel('Over').selectOption('15 min')
    await page.getByRole('button', { name: 'Save alerts' }).click()
    await page.getByText('Alerts saved').waitFor()
    const first = page.getByRole('group', { name: 'Rule 1' })
    await first.getByText('Broken since').waitFor()
    await page.setViewportSize({ width: 1440, height: 900 })
    await checkAxe(page, 'alert rules')
    await open('/')
    await page.getByText('Errors above 5%').waitFor()
    await open('/settings?tab=alerts')
    await first.getByText('Broken since').waitFor()
    await picture('alerts-1440-light')
    await page.setViewportSize({ width: 390, height: 844 })
    await page.emulateMedia({ colorScheme: 'dark' })
    await checkAxe(page, 'alert rules on a phone')
    await picture('alerts-390-dark')
    await first.getByRole('button', { name: 'Remove' }).click()
    expect(/status of 400/)
    await first.getByLabel('Above, in ms').fill('0')
    await page.getByRole('button', { name: 'Save alerts' }).click()
    await page.getByRole('alert').filter({ hasText: /0/ }).waitFor()
    await first.getByLabel('Above, in ms').fill('250')
    await page.getByRole('button', { name: 'Save alerts' }).click()
    await page.getByText('Alerts saved').waitFor()
    await page.reload()
    await first.waitFor()
    assert.equal(await first.getByLabel('Above, in ms').inputValue(), '250')
    assert.equal(await page.getByRole('group', { name: /^Rule/ }).count(), 1)
  },
)

/** A report of a month in which all whole days have calls of each class, and many methods. */
function filled(report: { series: { complete: boolean }[] }): object {
  const sums = { failed: 30, units: 900, bytesIn: 5_000, bytesOut: 90_000 }
  const latency = { calls: 90, p50Ms: 4, p95Ms: 38, p99Ms: 112 }
  const { series } = report
  const days = (count: number) => series.map((_, at) => (at % 7 === 6 ? 0 : count + at))
  const part = (name: string, count: number) => ({ name, requests: days(count), units: [] })
  return {
    ...report,
    totals: { requests: 1_000_000, ...sums, latency },
    series: series.map((one, at) => ({
      ...one,
      requests: 130,
      ...sums,
      latency: at % 7 === 6 ? null : { ...latency, p95Ms: 30 + at },
    })),
    methods: Array.from({ length: 60 }, (_, at) => ({
      face: 'rpc',
      method: `eth_method${at}`,
      requests: 600 - at,
      ...sums,
      latency,
    })),
    table: [
      {
        face: 'rpc',
        network: 'dev',
        method: 'a',
        outcome: 'no_upstream',
        status: 503,
        requests: 9,
      },
    ].map((row) => ({ ...row, ...sums })),
    split: {
      by: 'outcome',
      parts: [part('answered', 100), part('caller', 20), part('refused', 9), part('failed', 4)],
    },
  }
}

test(
  'a month of a million calls is under three screens, its bars are read with the arrow keys, its parts hidden',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const { cairn, page, open, picture } = await openSignedIn(t)
    await cairn.rpc('eth_chainId')
    await page.route(/\/api\/v1\/.*\/usage\?/, async (route) => {
      const response = await route.fetch()
      const { report, storage } = (await response.json()) as { report: never; storage: object }
      await route.fulfill({ response, json: { report: filled(report), storage } })
    })
    await page.setViewportSize({ width: 1440, height: 900 })
    await open('/usage?window=30d&compare=before')
    await page.getByText('1–10 of 60').waitFor()
    await page.locator('.legend').getByText('Period before 3,900').waitFor()
    assert.ok(Number(await page.evaluate('document.documentElement.scrollHeight')) <= 2_700)
    const chart = page.getByRole('group', { name: /^Calls by outcome/ })
    await chart.focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowLeft')
    await chart
      .getByRole('status')
      .getByText(/answered, .* failed, 130 in the period before$/)
      .waitFor()
    await picture('usage-1440-light-full')
    await checkAxe(page, 'usage, full')
    await page.keyboard.press('Enter')
    const dayMs = 86_400_000
    await page.waitForURL(/from=\d+&until=\d+&compare=before/)
    const zoomed = new URL(page.url()).searchParams
    assert.equal(Number(zoomed.get('until')) - Number(zoomed.get('from')), dayMs)
    await page.goBack()
    await page.waitForURL(/window=30d/)
    await page.getByText('Click a bar to zoom in').waitFor()
    await page.locator('.chart .touch').nth(3).click()
    await page.waitForURL(/from=/)
    await page.goBack()
    await page.waitForURL(/window=30d/)
    await page.getByRole('button', { name: /^Refused/ }).click()
    assert.equal(await page.locator('.chart-box rect.series.refused').count(), 0)
    await page.getByRole('button', { name: 'Show all 60' }).click()
    await page.getByRole('link', { name: 'eth_method59' }).waitFor()
    await page.getByRole('button', { name: 'Show 10' }).click()
    await page.getByText('1–10 of 60').waitFor()
    await page.getByText('Show as table').first().click()
    await page.getByRole('table', { name: 'Calls by interval and outcome' }).waitFor()
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.setViewportSize({ width: 390, height: 844 })
    await checkAxe(page, 'usage, full, on a phone')
    await picture('usage-390-dark-full')
    await open('/')
    await page.getByRole('button', { name: '30 d' }).click()
    await page.getByText('Traffic').waitFor()
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.emulateMedia({ colorScheme: 'light' })
    await picture('overview-1440-light-full')
    assert.ok(Number(await page.evaluate('document.documentElement.scrollHeight')) <= 2_700)
  },
)
