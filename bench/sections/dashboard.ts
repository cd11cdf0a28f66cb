// Cost of the dashboard: loading the first page in a new browser, and the processor time that live usage views add to calls.
import { openAdminClient, takeFirstRun } from '../../test/fakes/people/admin-client.ts'
import { launchBrowser, noBrowser } from '../../test/browser/browser.ts'
import { type Started, startCairn } from '../../test/started-server.ts'
import type { Bench } from '../bench.ts'
import { sizes } from '../bench.ts'
import { storage, storageCalls } from '../data/read-calls.ts'
import { measure, median, type Measured, type Target } from '../measure.ts'

const openings = 5
const pairs = 24
const connections = 64
const countFull = 40_000
/** Number of concurrent live views. */
const watchers = 8

export async function runDashboard(bench: Bench): Promise<void> {
  bench.report.section('Dashboard')
  await measureFirstPage(bench)
  await measureLive(bench)
}

async function measureFirstPage({ report }: Bench): Promise<void> {
  if (noBrowser !== false) return report.note(`first page: ${noBrowser}`)
  const cairn = await startCairn()
  const { cookie } = await takeFirstRun(cairn)
  const [name = '', value = ''] = cookie?.split('=') ?? []
  const browser = await launchBrowser()
  try {
    const durations: number[] = []
    for (let opening = 0; opening < openings; opening++) {
      // A new context has an empty cache.
      const context = await browser.newContext()
      await context.addCookies([{ name, value, url: cairn.url }])
      const page = await context.newPage()
      const began = performance.now()
      await page.goto(`${cairn.url}/dashboard/`)
      await page.locator('main h1').waitFor()
      durations.push(performance.now() - began)
      await context.close()
    }
    report.figure('first page ready, empty cache', median(durations), ' ms', { atMost: 1000 })
  } finally {
    await browser.close()
    await cairn.stop()
  }
}

async function measureLive(bench: Bench): Promise<void> {
  const { report, loader } = bench
  const { started, pid, port, paths, slots } = await bench.cairn()
  if (started.firstRunLink === null)
    return report.note('live view: the stored server already has people')
  const { cookie } = await takeFirstRun(started)
  const account = await firstAccount(started, cookie)
  const target: Target = {
    name: `${storage}, cached`,
    pid,
    plan: {
      port,
      paths,
      calls: storageCalls(slots.slice(0, sizes.cached)),
      ids: 'varied',
      connections,
      count: bench.calls(countFull),
      rate: null,
    },
  }
  await loader.run({ ...target.plan, count: sizes.cached * 2 })
  const unseen: Measured[] = []
  const watched: Measured[] = []
  // Alternate the order, so that drift affects both equally.
  for (let pair = 0; pair < pairs; pair++) {
    if (pair % 2 === 0) unseen.push(await measure(loader, target))
    const stop = await watch(started.url, account, cookie ?? '')
    watched.push(await measure(loader, target))
    await stop()
    if (pair % 2 === 1) unseen.push(await measure(loader, target))
  }
  report.target(`${target.name}, no page open`, unseen)
  report.target(`${target.name}, ${watchers} pages open`, watched)
  const shares = watched.map((one, at) => one.cpuUsPerCall / (unseen[at]?.cpuUsPerCall ?? NaN))
  const more = (median(shares) - 1) * 100
  report.figure('CPU that a live view adds to a cached call', more, ' %', { atMost: 3 })
}

async function firstAccount({ url }: Started, cookie: string | null): Promise<string> {
  const client = openAdminClient(url)
  client.cookie = cookie
  const { body } = await client.ask('GET', '/accounts')
  return (body['accounts'] as readonly { id: string }[])[0]?.id ?? ''
}

/** Opens the event streams and reads them. Resolves with a function that closes them. */
async function watch(url: string, account: string, cookie: string): Promise<() => Promise<void>> {
  const controller = new AbortController()
  const reading = await Promise.all(
    Array.from({ length: watchers }, async () => {
      const response = await fetch(`${url}/api/v1/accounts/${account}/usage/live`, {
        headers: { cookie },
        signal: controller.signal,
      })
      if (response.status !== 200) throw new Error(`live view: ${response.status}`)
      return { done: response.text().catch(() => '') }
    }),
  )
  return async () => {
    controller.abort()
    await Promise.all(reading.map(({ done }) => done))
  }
}
