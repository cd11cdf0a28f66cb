// IPNS records by commands of a simulated network process.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { never } from '../../../test/fakes/files/files-fixture.ts'
import { newSigner } from '../../../test/fakes/files/names-fixture.ts'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { Fault } from '../../base/fault.ts'
import { createIpnsRouting, lookupsMax, waitingMax } from './ipns-routing.ts'

const { name } = newSigner()
const line = (bytes: Uint8Array) => ({
  Extra: Buffer.from(bytes).toString('base64'),
  ID: '',
  Responses: null,
  Type: 5,
})

test('records of all events are given, an absent one is none, and a failure stays one', async () => {
  const replies: (object | Error)[][] = [
    [{ Type: 6 }, line(Buffer.from('a')), line(Buffer.from('b'))],
    [new Fault('command_failed', { detail: 'routing: not found' })],
    [new Fault('no_upstream')],
    Array.from({ length: 100 }, () => line(Buffer.from('c'))),
  ]
  const queries: object[] = []
  async function* run(command: object) {
    queries.push(command)
    for (const value of replies.shift() ?? []) {
      if (value instanceof Error) throw value
      yield value
    }
  }
  const routing = createIpnsRouting(run, createManualClock())
  const records = await routing.getIpnsRecords(name, never)
  assert.deepEqual(records.map(String), ['a', 'b'])
  assert.deepEqual(await routing.getIpnsRecords(name, never), [])
  await assert.rejects(routing.getIpnsRecords(name, never), { code: 'no_upstream' })
  assert.equal((await routing.getIpnsRecords(name, never)).length, 64)
  await routing.putIpnsRecord(name, Buffer.from('a'), never)
  assert.deepEqual(queries[0], { name: 'routing/get', arg: `/ipns/${name.text}` })
  assert.deepEqual(queries.at(-1), {
    name: 'routing/put',
    arg: `/ipns/${name.text}`,
    record: 'YQ==',
  })
})

test('a command that does not end is ended after a minute', async () => {
  const clock = createManualClock()
  // eslint-disable-next-line require-yield
  async function* run(_: object, signal: AbortSignal): AsyncGenerator<never> {
    await new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
    })
  }
  const routing = createIpnsRouting(run, clock)
  const puts = assert.rejects(routing.putIpnsRecord(name, Buffer.from('a'), never), {
    code: 'deadline',
  })
  clock.advance(60_000)
  await puts
})

test('32 commands run, 1,000 wait, and further ones are refused', async () => {
  let running = 0
  async function* run(_: object, signal: AbortSignal) {
    running += 1
    yield await new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
    })
  }
  const routing = createIpnsRouting(run, createManualClock())
  const gone = new AbortController()
  const all = Array.from({ length: lookupsMax + waitingMax }, () =>
    routing.getIpnsRecords(name, gone.signal),
  )
  const ended = Promise.allSettled(all)
  await assert.rejects(routing.getIpnsRecords(name, gone.signal), { code: 'overloaded' })
  assert.equal(running, lookupsMax)
  gone.abort(new Fault('hung_up'))
  assert.ok((await ended).every(({ status }) => status === 'rejected'))
})
