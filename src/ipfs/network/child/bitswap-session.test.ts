import { deepEqual, equal, ok } from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { test } from 'node:test'
import { createManualClock } from '../../../../test/fakes/manual-clock.ts'
import { cidOf, rawCodec } from '../../../codec/ipld/cid.ts'
import { sha256Name } from '../../../codec/ipld/multihash.ts'
import { createSession, sessionLimits, type SessionParts, type Task } from './bitswap-session.ts'
import type { Provider } from './block-peer.ts'

const cidNumber = (number: number): Uint8Array =>
  cidOf(1, rawCodec, sha256Name(Buffer.from(`${number}`))).bytes

const peer = (name: string): Provider => ({ kind: 'peer', peer: name, addresses: [] })

function rig(parts: Partial<SessionParts> = {}, limits = sessionLimits) {
  const clock = createManualClock()
  const ends: string[] = []
  /** Messages sent to peers, as `<peer> want|have|cancel <number>`. */
  const sent: string[] = []
  const lookUps: boolean[] = []
  const numbers = new Map<string, number>()
  const tasks: Task[] = []
  const nameOf = (cid: Uint8Array) => numbers.get(Buffer.from(cid).toString('hex'))
  const session = createSession(cidNumber(0), {
    clock,
    limits,
    lookUp: async (_cid, deep) => {
      lookUps.push(deep)
      return true
    },
    connect: async (provider) => {
      const name = provider.kind === 'peer' ? provider.peer : provider.url
      return {
        name,
        want: (cid, haveOnly) =>
          void sent.push(`${name} ${haveOnly ? 'have' : 'want'} ${nameOf(cid)}`),
        cancel: (cid) => void sent.push(`${name} cancel ${nameOf(cid)}`),
      }
    },
    fail: (task, reason) => void ends.push(`${nameOf(task.cid)} ${reason}`),
    cancel: (task, { cancel }) => cancel(task.cid),
    ...parts,
  })
  const settle = async () => {
    for (let turn = 0; turn < 10; turn++) await setImmediate()
  }
  return {
    clock,
    ends,
    sent,
    lookUps,
    session,
    settle,
    tasks,
    async join(...names: readonly string[]) {
      for (const name of names) session.offer(peer(name))
      await settle()
    },
    add(number: number) {
      const cid = cidNumber(number)
      numbers.set(Buffer.from(cid).toString('hex'), number)
      session.add(number, cid, `${number}`, (task) => void tasks.push(task))
    },
    async pass(ms: number) {
      for (let passed = 0; passed < ms; passed += 500) {
        clock.advance(500)
        session.tick()
        await settle()
      }
    },
  }
}

test('a want goes to one peer, and two others are asked whether they have it', async () => {
  const { join, add, sent } = rig()
  await join('a', 'b', 'c', 'd')
  add(1)
  deepEqual(sent, ['a want 1', 'b have 1', 'c have 1'])
})

test('a peer without the block is left for the one that has it', async () => {
  const { join, add, sent, session, tasks } = rig()
  await join('a', 'b', 'c')
  add(1)
  const [task] = tasks as [Task]
  session.presence(task, 'c', true)
  session.presence(task, 'a', false)
  equal(sent.at(-1), 'c want 1')
})

test('after 5 s without a byte a want goes to the next peer; after three times the peer leaves', async () => {
  const { join, add, sent, session, pass } = rig()
  await join('a', 'b')
  add(1)
  await pass(4_500)
  ok(!sent.includes('b want 1'))
  await pass(500)
  ok(sent.includes('a cancel 1') && sent.includes('b want 1'))
  for (let number = 2; number < 6; number++) {
    add(number)
    await pass(5_500)
  }
  await pass(20_000)
  deepEqual(session.peers, [])
})

test('a slow peer that still sends blocks stays, at most 30 s for one want', async () => {
  const { join, add, session, sent, pass, tasks } = rig()
  await join('a', 'b')
  session.lose('b')
  for (let number = 1; number < 10; number++) add(number)
  for (let number = 2; number < 9; number++) {
    await pass(4_000)
    session.settle(tasks[number - 1] as Task, 'a')
  }
  ok(!sent.includes('a cancel 1'))
  deepEqual(session.peers, ['a'])
})

test('a want ends as absent after every router answered, else without that claim', async () => {
  const absent = rig()
  await absent.join('a')
  absent.add(1)
  absent.session.presence(absent.tasks[0] as Task, 'a', false)
  await absent.settle()
  deepEqual(absent.ends, ['1 none'])
  deepEqual(absent.lookUps, [false, true])

  const unsure = rig({ lookUp: async () => false })
  unsure.add(1)
  await unsure.settle()
  deepEqual(unsure.ends, ['1 noPeer'])

  const silent = rig()
  await silent.join('a')
  silent.add(1)
  await silent.pass(20_000)
  deepEqual(silent.ends, ['1 timeout'])
})

test('the block itself is looked up after 5 s', async () => {
  const { join, add, lookUps, pass } = rig()
  await join('a')
  add(1)
  await pass(4_500)
  deepEqual(lookUps, [false])
  await pass(1_000)
  deepEqual(lookUps, [false, true])
})

test('a session has 32 active wants, and up to 256 while blocks arrive', async () => {
  const { join, add, sent, session, tasks } = rig()
  await join('a')
  for (let number = 1; number <= 1000; number++) add(number)
  const wanted = () => sent.filter((one) => one.includes('want')).length
  equal(wanted(), 32)
  for (let number = 0; number < 32; number++) session.settle(tasks[number] as Task, 'a')
  equal(session.window, 64)
  for (let number = 32; number < 900; number++) session.settle(tasks[number] as Task, 'a')
  equal(session.window, 256)
})

test('a session has 8 peers, and the next providers when one leaves or none has a block', async () => {
  const { join, add, session, settle, tasks } = rig()
  await join(...Array.from({ length: 120 }, (_, at) => `peer ${at}`))
  equal(session.peers.length, 8)
  session.lose('peer 0')
  await settle()
  ok(session.peers.includes('peer 8'))
  add(1)
  for (let number = 0; number < 110; number++) {
    session.presence(tasks[0] as Task, `peer ${number}`, false)
    await settle()
  }
  // 8 members and 100 waiting candidates: the other providers were dropped.
  ok(!session.peers.includes('peer 119'))
  ok(session.peers.includes('peer 107'), session.peers.join())
})

test('wants that were dropped, and those of a closed session, are taken back', async () => {
  const { join, add, sent, session, tasks } = rig()
  await join('a')
  add(1)
  add(2)
  session.drop(tasks[0] as Task)
  equal(sent.at(-1), 'a cancel 1')
  session.close()
  equal(sent.at(-1), 'a cancel 2')
})

test('a want is sent again to a silent peer if no other is left', async () => {
  const { join, add, sent, pass } = rig()
  await join('a')
  add(1)
  await pass(5_500)
  deepEqual(sent, ['a want 1', 'a want 1'])
})
