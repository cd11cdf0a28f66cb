import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createUsageRig } from '../../../test/fakes/people/usage-rig.ts'
import { Fault } from '../../base/fault.ts'
import { createAlertTargetRows } from './alert-targets.ts'
import { type Alert, createAlertWatch, type WatchedAccount } from './alert-watch.ts'

const none = {
  filesStoredBytes: null,
  filesUploadBytesPerMonth: null,
  filesDownloadBytesPerMonth: null,
}
const keyOf = (id: string, unitsPerDay: number | null) => ({
  id,
  name: `key ${id}`,
  settings: { ...none, unitsPerDay },
})

async function rig(account: Partial<WatchedAccount> = {}) {
  const made = createUsageRig()
  const targets = createAlertTargetRows(made)
  await targets.set('a', { emails: ['ops@example.com'], webhooks: [], rules: [] })
  const sent: Alert[] = []
  const world = { stored: 0, failing: false }
  const start = () =>
    createAlertWatch({
      ...made,
      targets,
      async findAccount() {
        if (world.failing) throw new Fault('overloaded')
        const keys = [keyOf('k1', 1000), keyOf('k2', null)]
        return { name: 'a', settings: none, keys, ...account }
      },
      storedBytes: () => world.stored,
      send: (alert) => void sent.push(alert),
      log: (_level, event) => assert.ok(world.failing, event),
    })
  const watch = start()
  const brief = () => sent.splice(0).map(({ limit, key, level }) => [limit, key?.id, level])
  const checkAlerts = async (which = watch) => {
    await made.usage.flush()
    await which.check()
  }
  return { ...made, watch, start, sent, brief, checkAlerts, world }
}

test('each level of a day is sent once, the highest that was reached, and again the next day', async () => {
  const { count, checkAlerts, brief, clock } = await rig()
  const use = async (units: number) => {
    count({ units })
    await checkAlerts()
    return brief()
  }
  assert.deepEqual(await use(740), [])
  assert.deepEqual(await use(10), [['unitsPerDay', 'k1', 75]])
  assert.deepEqual(await use(50), [])
  assert.deepEqual(await use(50), [['unitsPerDay', 'k1', 85]])
  assert.deepEqual(await use(150), [['unitsPerDay', 'k1', 100]])
  assert.deepEqual(await use(10), [])
  clock.advance(86_400_000)
  assert.deepEqual(await use(900), [['unitsPerDay', 'k1', 85]])
})

test('a day with some units left that refused a call is full', async () => {
  const { count, checkAlerts, brief } = await rig()
  count({ units: 990 })
  count({ units: 0, outcome: 'over_quota', status: 402, ms: null })
  await checkAlerts()
  assert.deepEqual(brief(), [['unitsPerDay', 'k1', 100]])
})

test('an account that could not be read is checked again, with its refusals', async () => {
  const { count, checkAlerts, brief, world } = await rig()
  world.failing = true
  count({ units: 960 })
  count({ units: 0, outcome: 'over_quota' })
  await checkAlerts()
  assert.deepEqual(brief(), [])
  world.failing = false
  await checkAlerts()
  assert.deepEqual(brief(), [['unitsPerDay', 'k1', 100]])
})

test('a sent alert is not sent again after a restart', async () => {
  const { count, checkAlerts, brief, watch, start } = await rig()
  count({ units: 800 })
  await checkAlerts()
  assert.equal(brief().length, 1)
  watch.stop()
  const again = start()
  count({ units: 1 })
  await checkAlerts(again)
  assert.deepEqual(brief(), [])
})

test('storage and transfer cause alerts, for the account in total and for each key', async () => {
  const key = keyOf('k1', null)
  const { count, checkAlerts, sent, world } = await rig({
    settings: {
      filesStoredBytes: 100,
      filesUploadBytesPerMonth: 100,
      filesDownloadBytesPerMonth: 0,
    },
    keys: [
      { ...key, settings: { ...key.settings, filesDownloadBytesPerMonth: 10 } },
      keyOf('k2', null),
    ],
  })
  world.stored = 85
  const files = { face: 'files', network: '', method: 'add', units: 0, bytesOut: 0 } as const
  count({ ...files, bytesIn: 50 })
  count({ ...files, keyId: 'k2', bytesIn: 30 })
  count({ ...files, bytesIn: 0, bytesOut: 10 })
  await checkAlerts()
  assert.deepEqual(
    sent.map(({ limit, key: of, level, used, max }) => [limit, of?.id, level, used, max]),
    [
      ['filesStoredBytes', undefined, 85, 85, 100],
      ['filesUploadBytesPerMonth', undefined, 75, 80, 100],
      ['filesDownloadBytesPerMonth', 'k1', 100, 10, 10],
    ],
  )
  assert.ok(sent.every(({ period }) => period === Date.UTC(2026, 0, 1)))
})

test('an account without alert targets is not checked, and checks run periodically', async () => {
  const { count, usage, brief, clock, watch } = await rig()
  count({ keyId: 'k3', units: 5000 })
  await usage.flush()
  await watch.check()
  assert.deepEqual(brief(), [])
  count({ units: 1000 })
  await usage.flush()
  clock.advance(5000)
  await usage.flush()
  await watch.check()
  assert.deepEqual(brief(), [['unitsPerDay', 'k1', 100]])
})
