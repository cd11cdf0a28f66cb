// The link of a worker to the keeper: values and errors arrive unchanged, and a restart of the keeper loses no call.
import { deepEqual, equal, rejects } from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { systemClock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import { silentLog } from '../../base/log.ts'
import { NothingChanged } from '../../db/writer.ts'
import { createKeeperLink, defaultLinkLimits } from './keeper-link.ts'
import { openKeeperSocket } from './keeper-socket.ts'

const echoes = {
  echo: (value: unknown) => value,
  async refuse(kind: 'fault' | 'nothing' | 'bug') {
    if (kind === 'nothing') throw new NothingChanged(3)
    if (kind === 'bug') throw new TypeError('a bug')
    throw new Fault('over_quota', { detail: 'no more', data: { reason: 'x' } })
  },
}

async function startLink(
  t: TestContext,
  parts: Partial<Parameters<typeof createKeeperLink>[0]> = {},
) {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-'))
  t.after(() => rm(folder, { recursive: true }))
  const path = join(folder, 'links')
  const link = createKeeperLink<typeof echoes>({
    path,
    clock: systemClock,
    log: silentLog,
    ...parts,
  })
  t.after(() => link.close())
  const open = async (calls: Parameters<typeof openKeeperSocket>[0]['calls'] = echoes) => {
    const socket = await openKeeperSocket({ path, calls, log: silentLog })
    return { close: () => socket.close() }
  }
  return { link, open }
}

test('values of a row arrive as they were sent', async (t) => {
  const { link, open } = await startLink(t)
  const socket = await open()
  t.after(() => socket.close())
  const value = { number: 1, big: 2n ** 70n, text: 'ä', none: null, bytes: new Uint8Array([1, 2]) }
  const { bytes, ...rest } = (await link.call('echo', value)) as typeof value
  deepEqual({ ...rest, bytes: [...bytes] }, { ...value, bytes: [1, 2] })
  const large = new Uint8Array(3_000_000).fill(7)
  equal(Buffer.compare((await link.call('echo', large)) as Uint8Array, large), 0)
})

test('errors arrive as what they are', async (t) => {
  const { link, open } = await startLink(t)
  const socket = await open()
  t.after(() => socket.close())
  await rejects(link.call('refuse', 'fault'), (error) => {
    if (!(error instanceof Fault)) return false
    deepEqual([error.code, error.message, error.data], ['over_quota', 'no more', { reason: 'x' }])
    return true
  })
  await rejects(link.call('refuse', 'nothing'), (error) => {
    return error instanceof NothingChanged && error.index === 3
  })
  await rejects(link.call('refuse', 'bug'), { code: 'internal' })
})

test('calls wait for a keeper that restarts, and those without a reply are sent again', async (t) => {
  const { link, open } = await startLink(t)
  const early = link.call('echo', 1)
  const first = await open({ ...echoes, refuse: () => new Promise(() => {}) })
  equal(await early, 1)
  const unanswered = link.call('refuse', 'nothing')
  await link.call('echo', 2)
  await first.close()
  const during = link.call('echo', 3)
  const second = await open()
  t.after(() => second.close())
  await rejects(unanswered, NothingChanged)
  equal(await during, 3)
})

test('a call fails when its time is over, or when too many wait', async (t) => {
  const clock = createManualClock()
  const { link } = await startLink(t, { clock, limits: { ...defaultLinkLimits, pendingMax: 2 } })
  const waiting = [link.call('echo', 1), link.call('echo', 2)].map((call) =>
    call.catch((error: unknown) => (error as Fault).code),
  )
  await rejects(link.call('echo', 3), { code: 'overloaded' })
  clock.advance(5_000)
  clock.advance(50)
  deepEqual(await Promise.all(waiting), ['overloaded', 'overloaded'])
})

test('a closed link refuses its calls', async (t) => {
  const { link } = await startLink(t)
  const waiting = link.call('echo', 1).catch((error: unknown) => (error as Fault).code)
  link.close()
  equal(await waiting, 'shutting_down')
  await rejects(link.call('echo', 2), { code: 'shutting_down' })
})
