// Generated bodies through both APIs: each through parsers and rendering in this process, one in 49 also through a started server.
// 20,000 in this test; `npm run test:fuzz` sends a million.
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { Agent, request } from 'node:http'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Fault } from '../../src/base/fault.ts'
import { systemClock } from '../../src/base/clock.ts'
import { importProfiles } from '../../src/codec/ipld/import-profile.ts'
import type { RpcOutcome } from '../../src/rpc/rpc-pipeline.ts'
import { noNames } from '../fakes/files/test-names.ts'
import { createKuboCommands } from '../../src/kubo/commands/index.ts'
import { createSenderCache } from '../../src/chain/sender-cache.ts'
import { createRpcOperations } from '../../src/rpc/methods/index.ts'
import { parseCommandLine, requireArgument, routeCommand } from '../../src/kubo/command-line.ts'
import { parseEnvelope } from '../../src/rpc/api/envelope.ts'
import { refusalOf } from '../../src/pipeline/files-refusal.ts'
import { requestBodyStream } from '../../src/http/request-body-stream.ts'
import { readParts } from '../../src/kubo/multipart.ts'
import { ReplyWriter, refusalBody, unknownForm } from '../../src/rpc/api/rpc-reply.ts'
import { uploadEntries } from '../../src/kubo/upload-body.ts'
import { type Started, startCairn } from '../started-server.ts'
import { type FuzzBody, fuzzBodies } from './fuzz-bodies.ts'
import { readFigures } from './process-figures.ts'
import { noRemotePins } from '../fakes/files/no-remote-pins.ts'

const bodies = Number(process.env['CAIRN_FUZZ_BODIES'] ?? 20_000)
const seed = Number(process.env['CAIRN_FUZZ_SEED'] ?? randomInt(2 ** 31))
/** Coprime to the eight kinds of bodies, so that all of them are sent. */
const sentShare = 49
/** Memory growth between the first quarter and the end: heap of this process, resident memory of the server. */
const grownMiBMax = { own: 20, server: 150 }

const rpcOperations = createRpcOperations({
  clientVersion: 'x',
  clock: systemClock,
  findSender: createSenderCache(1_000).find,
})
const filesOperations = createKuboCommands({
  clock: systemClock,
  version: '0',
  publicKey: new Uint8Array(32),
  remotePins: noRemotePins,
  ipns: noNames,
  network: null,
})

/** Everything from the received bytes to the reply, except the operation itself. */
function answerRpc(bytes: Uint8Array): string {
  try {
    const { batch, entries, refusal } = parseEnvelope(bytes, 100)
    if (refusal !== null) throw refusal
    const writer = new ReplyWriter(1_000_000, 'id')
    for (const { id, item } of entries) writer.add(id, outcomeOf(item))
    return writer.body(batch).text
  } catch (thrown) {
    return refusalBody(faultOf(thrown), unknownForm, 'id').text
  }
}

function outcomeOf(item: ReturnType<typeof parseEnvelope>['entries'][number]['item']): RpcOutcome {
  if (item instanceof Fault) return { fault: item }
  const operation = rpcOperations.get(item.method)
  if (operation === undefined) {
    return { fault: new Fault('no_method') }
  }
  try {
    operation.parse(item.params)
    return { result: null }
  } catch (thrown) {
    return { fault: faultOf(thrown) }
  }
}

/** An error that is not a Fault would be a 500 reply. */
function faultOf(thrown: unknown): Fault {
  if (thrown instanceof Fault) return thrown
  throw thrown
}

function checkRpcReply(text: string): void {
  if (text === '') return
  const reply = JSON.parse(text) as unknown
  for (const one of Array.isArray(reply) ? reply : [reply]) {
    const { jsonrpc, id, error } = one as Record<string, unknown>
    assert.equal(jsonrpc, '2.0')
    assert.ok(id === null || ['string', 'number', 'boolean'].includes(typeof id))
    assert.equal('result' in (one as object), error === undefined)
    if (error === undefined) continue
    const { code, message } = error as Record<string, unknown>
    assert.ok(Number.isInteger(code))
    assert.ok(typeof message === 'string' && message !== '' && message.length <= 1_024)
  }
}

async function answerFiles({ line, bytes }: FuzzBody): Promise<string> {
  try {
    const at = line.indexOf('?')
    const route = routeCommand(filesOperations, at < 0 ? line : line.slice(0, at))
    const { args, options } = parseCommandLine(
      route,
      new URLSearchParams(at < 0 ? '' : line.slice(at)),
    )
    const needsBody = route.command.body === 'entries'
    const entries = needsBody
      ? uploadEntries(readParts(requestBodyStream(inPieces(bytes)), 'edge'))
      : null
    if (!needsBody) requireArgument(route.command, args)
    const profile = importProfiles['unixfs-v0-2015']
    route.command.parse({ args, options, entries, host: '' }, profile)
    for await (const entry of entries ?? []) {
      if (entry.kind === 'file') for await (const _ of entry.content);
    }
    return ''
  } catch (thrown) {
    const { status, body } = refusalOf(faultOf(thrown))
    assert.ok(status >= 400 && status < 600 && status !== 408)
    return body
  }
}

/** Splits the body into parts of different lengths. */
async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0, length = 7; at < bytes.length; at += length, length = (length * 5 + 3) % 97) {
    yield bytes.subarray(at, at + length)
  }
}

function judgeFiles(body: string): void {
  if (body === '') return
  assert.ok(body.endsWith('\n'))
  if (!body.startsWith('{"Message":')) return
  const { Message, Code, Type, ...rest } = JSON.parse(body) as Record<string, unknown>
  assert.ok(typeof Message === 'string' && Number.isInteger(Code) && Type === 'error')
  assert.deepEqual(rest, {})
}

/** Heap of this process after a garbage collection. */
function heapMiB(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  return process.memoryUsage().heapUsed / 2 ** 20
}

type Sender = (fuzz: FuzzBody) => Promise<void>

function createSender(cairn: Started, agent: Agent): Sender {
  const authorization = `Basic ${btoa(`${cairn.apiKey}:${cairn.apiKeySecret}`)}`
  return ({ face, bytes, line }) =>
    new Promise((resolve, reject) => {
      const path =
        face === 'rpc'
          ? `/v3/${cairn.apiKey}`
          : `/api/v0/${line.replaceAll(/[^!-~]/g, (byte) => encodeURIComponent(byte))}`
      const type = face === 'rpc' ? 'application/json' : 'multipart/form-data; boundary=edge'
      const headers = { 'content-type': type, ...(face === 'rpc' ? {} : { authorization }) }
      const sent = request(cairn.url + path, { method: 'POST', agent, headers }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => (text += chunk))
        response.on('end', () => {
          try {
            assert.ok(face === 'files' || response.statusCode !== 500, text)
            assert.ok(response.headers['content-type'] !== undefined, text)
            if (face === 'rpc') checkRpcReply(text)
            else if (response.statusCode !== 200) judgeFiles(text)
            assert.doesNotMatch(text, /internal error/)
            resolve()
          } catch (thrown) {
            reject(thrown as Error)
          }
        })
      })
      sent.on('error', reject)
      sent.end(bytes)
    })
}

test(
  `${bodies} each generated body gets a valid reply from the same process, with constant memory`,
  { timeout: 3_600_000 },
  async (t) => {
    t.diagnostic(`seed ${seed}: CAIRN_FUZZ_SEED=${seed} CAIRN_FUZZ_BODIES=${bodies}`)
    const cairn = await startCairn()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const send = createSender(cairn, agent)
    const { pid } = cairn.child
    try {
      let done = 0
      let early: { readonly own: number; readonly server: number } | null = null
      const residents = async () => ({
        own: heapMiB(),
        server: (await readFigures(pid)).residentMiB,
      })
      for (const fuzz of fuzzBodies(seed)) {
        try {
          if (fuzz.face === 'rpc') checkRpcReply(answerRpc(fuzz.bytes))
          else judgeFiles(await answerFiles(fuzz))
          // A command waits for the client's own `timeout`, however long, so such requests are not sent.
          if (done % sentShare === 0 && !fuzz.line.includes('timeout')) await send(fuzz)
        } catch (cause) {
          const shown = `${fuzz.line} ${JSON.stringify(fuzz.bytes.toString('latin1'))}`
          throw new Error(`seed ${seed}, body ${done}, ${fuzz.face}: ${shown}`, { cause })
        }
        if (done % 1_000 === 0) await setImmediate()
        if (++done >= bodies) break
        if (done === Math.ceil(bodies / 4)) early = await residents()
      }
      const late = await residents()
      for (const side of ['own', 'server'] as const) {
        const grown = late[side] - (early?.[side] ?? late[side])
        t.diagnostic(`${side} memory ${late[side].toFixed()} MiB, grown by ${grown.toFixed()} MiB`)
        assert.ok(grown < grownMiBMax[side], `${side} grew by ${grown} MiB`)
      }
      assert.equal(cairn.child.exitCode, null)
      assert.equal((await cairn.rpc('eth_chainId')).result, '0x539')
    } finally {
      agent.destroy()
      await cairn.stop()
    }
  },
)
