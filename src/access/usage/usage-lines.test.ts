import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createUsageRig } from '../../../test/fakes/people/usage-rig.ts'
import { createUsageLines } from './usage-lines.ts'

const hourMs = 3_600_000

test('lines come oldest first, of a key, an account or all, including unwritten ones', async () => {
  const { usage, clock, count } = createUsageRig()
  const { list } = createUsageLines({ read: usage.read })
  count()
  await usage.flush()
  count()
  count({ keyId: 'k2', outcome: 'refused_by_setting', reason: 'origin', status: 403, units: 0 })
  clock.advance(hourMs)
  count({ keyId: 'k3' })
  const noon = Date.UTC(2026, 0, 31, 12)
  const named = { accountId: 'a', face: 'rpc', network: 'dev', method: 'eth_call' }
  const fine = { ...named, keyId: 'k1', outcome: 'ok', reason: '', status: 200 }
  const first = { start: noon, ...fine, requests: 2, units: 160, bytesIn: 2, bytesOut: 4 }
  const lines = await list({ all: true }, 'hour', 0)
  assert.deepEqual(lines, [
    first,
    {
      ...first,
      keyId: 'k2',
      outcome: 'refused_by_setting',
      reason: 'origin',
      status: 403,
      requests: 1,
      units: 0,
      bytesIn: 1,
      bytesOut: 2,
    },
    {
      ...first,
      start: noon + hourMs,
      accountId: 'b',
      keyId: 'k3',
      requests: 1,
      units: 80,
      bytesIn: 1,
      bytesOut: 2,
    },
  ])
  await usage.flush()
  assert.deepEqual(await list({ all: true }, 'hour', 0), lines)
  assert.deepEqual(await list({ keyId: 'k1' }, 'hour', 0), [first])
  assert.equal((await list({ accountId: 'a' }, 'hour', 0)).length, 2)
  assert.equal((await list({ all: true }, 'hour', clock.now())).length, 1)
  assert.deepEqual(await list({ all: true }, 'hour', 0, noon + hourMs), lines.slice(0, 2))
  const ofMethod = { face: 'rpc', network: 'dev', method: 'eth_call' } as const
  assert.deepEqual(await list({ all: true }, 'hour', 0, null, ofMethod), lines)
  const ofOther = { ...ofMethod, network: 'mainnet' }
  assert.deepEqual(await list({ all: true }, 'hour', 0, null, ofOther), [])
  assert.deepEqual(
    (await list({ accountId: 'b' }, 'day', clock.now()))[0]?.start,
    Date.UTC(2026, 0, 31),
  )
})

test('lines are limited: a larger request is refused with a hint to narrow it', async () => {
  const { usage, count } = createUsageRig()
  const { list } = createUsageLines({ read: usage.read, linesMax: 2 })
  for (let n = 0; n < 3; n++) count({ method: `m${n}` })
  const refused = { code: 'bad_input', message: /^more than 2 lines/ }
  await assert.rejects(list({ all: true }, 'hour', 0), refused)
  await usage.flush()
  await assert.rejects(list({ all: true }, 'hour', 0), refused)
  assert.deepEqual(await list({ accountId: 'b' }, 'hour', 0), [])
})
