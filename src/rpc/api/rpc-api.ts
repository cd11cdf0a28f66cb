// JSON-RPC API over HTTP: parses headers and envelopes and calls the pipeline. It contains no methods and no rules of the pipeline.
// The first failed check decides the reply.
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import type { RpcAnswer, RpcOutcome, RpcPipeline } from '../rpc-pipeline.ts'
import { rollbackAll } from '../revocable.ts'
import type { Caller } from '../../access/accounts/caller.ts'
import type { FairTimeSlices } from '../../base/fair-time-slices.ts'
import type { Log } from '../../base/log.ts'
import type { Network } from '../../chain/network.ts'
import type { Inspection } from '../../pipeline/inspector/inspection.ts'
import type { Inspector } from '../../pipeline/inspector/inspector.ts'
import type { Body } from '../../http/body.ts'
import { preflightHeaders } from '../../http/cross-origin.ts'
import { type Deadlines, createDeadlines, liveDeadlines } from '../../http/deadlines.ts'
import { type Envelope, parseEnvelope } from './envelope.ts'
import type { HttpExchange } from '../../http/http-exchange.ts'
import type { RpcApi, RpcPath } from '../../http/routes.ts'
import { requestsProof, checkRequest, readCredential } from './rpc-request.ts'
import { type RequestLog, silentRequestLog } from '../../pipeline/request-log/finished-request.ts'
import { hasServerError, reportCalls, reportRefusal } from './report-request.ts'
import {
  type RefusalForm,
  type ReplySender,
  ReplyWriter,
  type RpcBody,
  createReplySender,
  formOf,
  readForm,
  refusalBody,
  refusedMs,
  unknownForm,
} from './rpc-reply.ts'

/**
 * Grace period after the deadline. Operations that observe the signal end with their own answer; Cairn abandons the others after
 * this.
 */
const graceMs = 1_000

/** `work`; rejects with the signal's reason if `work` has not settled `graceMs` after the signal aborted. */
function within<T>(work: Promise<T>, signal: AbortSignal, clock: Clock): Promise<T> {
  return new Promise((resolve, reject) => {
    function leave(): void {
      clock.after(graceMs, () => reject(Fault.from(signal.reason)))
    }
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
    work.then(
      (result) => {
        signal.removeEventListener('abort', leave)
        resolve(result)
      },
      (thrown: unknown) => {
        signal.removeEventListener('abort', leave)
        reject(thrown as Error)
      },
    )
  })
}

/** As `within`. If an answer arrives too late, its outcomes are rolled back. */
export async function answerWithin(
  work: Promise<RpcAnswer>,
  signal: AbortSignal,
  clock: Clock,
): Promise<RpcAnswer> {
  try {
    return await within(work, signal, clock)
  } catch (thrown) {
    work.then(
      ({ outcomes }) => rollbackAll(outcomes),
      () => {},
    )
    throw thrown
  }
}

export type RpcSettings = {
  readonly bodyBytesMax: number
  /** 1 to 1000. */
  readonly batchItemsMax: number
  /** Limit of one reply; items beyond it become `response_too_large`. */
  readonly replyBytesMax: number
  /** From the headers of the request to the reply. */
  readonly deadlineMs: number
  /** Cairn refuses requests beyond this number in parallel with `overloaded`. */
  readonly requestsInFlightMax: number
}

/** Parsing a longer body and running its calls can take milliseconds, so such requests wait for a time slice of their account. */
export const longBodyBytes = 4096

export const defaultRpcSettings: RpcSettings = {
  bodyBytesMax: 5_242_880,
  batchItemsMax: 100,
  replyBytesMax: 26_214_400,
  deadlineMs: 30_000,
  requestsInFlightMax: 4_096,
}

export type RpcApiDeps = {
  readonly gateway: RpcPipeline
  readonly settings: RpcSettings
  readonly inspector: Pick<Inspector, 'begin'>
  /** Absent: no request is logged. */
  readonly requests?: RequestLog
  /** Time slices of the request thread, for long bodies. */
  readonly timeSlices: Pick<FairTimeSlices, 'enter'>
  readonly clock: Clock
  readonly log: Log
}

/** Builds the API. The signal of an exchange aborts at the deadline with the Fault `deadline`. */
export function createRpcApi(parts: RpcApiDeps): RpcApi {
  const { clock, settings } = parts
  const deadlines = {
    request: liveDeadlines(() => settings.deadlineMs, clock),
    refusal: createDeadlines(refusedMs, clock),
  }
  const face = { requests: silentRequestLog, ...parts, send: createReplySender() }
  let inFlight = 0

  async function settle(
    answering: Promise<void>,
    exchange: HttpExchange,
    progress: Progress,
  ): Promise<void> {
    const deadline = deadlines.request.start(() => exchange.abort(new Fault('deadline')))
    try {
      await answering
    } catch (thrown) {
      await refuse(face, exchange, Fault.from(thrown), progress, deadlines.refusal)
    } finally {
      inFlight--
      deadline.stop()
    }
  }

  return (exchange, path) => {
    if (exchange.method === 'OPTIONS') return sendPreflight(exchange)
    inFlight++
    const overloaded = inFlight > settings.requestsInFlightMax
    const progress: Progress = {
      overloaded,
      arrived: 0,
      caller: null,
      network: null,
      entered: null,
      form: null,
      inspection: null,
      bytesIn: 0,
      read: false,
      answered: false,
    }
    const answering = answer(face, exchange, path, progress, deadlines.request)
    if (!progress.answered) return settle(answering, exchange, progress)
    // The reply is complete, so it needs no deadline.
    inFlight--
    return undefined
  }
}

function sendPreflight(exchange: HttpExchange): void {
  const own = [...preflightHeaders(exchange.headers.origin), 'x-request-id', exchange.requestId]
  const connectionState = { bodyUnread: false, closes: false }
  exchange.send({ status: 204, fixed: [], own, text: '', ascii: true, ...connectionState })
}

type FaceParts = RpcApiDeps & { readonly send: ReplySender; readonly requests: RequestLog }

/** Progress of a request: decides what a refusal echoes and whether it is charged. */
type Progress = {
  readonly overloaded: boolean
  /** Monotonic, milliseconds. */
  arrived: number
  caller: Caller | null
  network: Network | null
  /** Set while the caller is authenticated and the pipeline does not count and charge the request yet. */
  entered: { readonly caller: Caller; readonly network: Network } | null
  /** Ids for a refusal to echo; null while the body is unread. */
  form: RefusalForm | Envelope | null
  /** Null: the key has no inspection, or the key is not known yet. */
  inspection: Inspection | null
  /** Bytes of the body read so far. */
  bytesIn: number
  /** The body was read to its end. */
  read: boolean
  /** A reply was sent that is not a refusal. */
  answered: boolean
}

async function answer(
  parts: FaceParts,
  exchange: HttpExchange,
  path: RpcPath,
  progress: Progress,
  deadlines: Deadlines,
): Promise<void> {
  const { gateway, settings, inspector, requests, timeSlices, clock, send } = parts
  const arrived = clock.monotonic()
  progress.arrived = arrived
  checkRequest(exchange, path)
  if (progress.overloaded) throw new Fault('overloaded')
  const network = gateway.networkFor(path.network, exchange.hostLabel)
  progress.network = network
  const credential = readCredential(exchange, path.key)
  const entering = gateway.authenticateRpc(
    path.caller === undefined ? credential : { ...credential, caller: path.caller },
    network,
  )
  const caller =
    entering instanceof Promise ? await within(entering, exchange.signal, clock) : entering
  progress.caller = caller
  progress.entered = { caller, network }
  if (caller.settings.inspect || requests.takesSteps) {
    const where = { face: 'rpc', transport: 'http', network: network.name } as const
    progress.inspection = inspector.begin(caller, { ...where, arrived, credential })
    progress.inspection.timeline.reached('auth')
  }
  const { inspection } = progress
  acceptBody(exchange, settings)
  const reading = exchange.readBody(settings.bodyBytesMax, deadlines)
  const sent = reading instanceof Promise ? await reading : reading
  progress.bytesIn = sent.bytes.length
  inspection?.timeline.reached('body')
  const slice = sent.bytes.length > longBodyBytes ? timeSlices.enter(caller.accountId) : null
  if (slice !== null) await slice
  const { batch, entries } = openEnvelope(sent, settings, progress)
  // From this point the pipeline counts and charges the request, refusals included.
  progress.entered = null
  const items = entries.map((entry) => entry.item)
  const proof = requestsProof(exchange)
  const called = { caller, network, items, batch, proof, exchange, inspection }
  const running = gateway.runRpc(called)
  const answered =
    running instanceof Promise ? await answerWithin(running, exchange.signal, clock) : running
  const { outcomes, headers } = answered
  const writer = new ReplyWriter(settings.replyBytesMax, exchange.requestId)
  for (let index = 0; index < entries.length; index++) {
    const { id } = entries[index] as (typeof entries)[number]
    writer.add(id, outcomes[index] ?? { fault: new Fault('internal') })
  }
  const body = writer.body(batch)
  if (exchange.isClosed) rollbackAll(outcomes)
  const fault = body.bytes === 0 ? null : faultOfReply(outcomes, batch)
  send(exchange, { fault, labels: headers, body, bodyUnread: false })
  gateway.countBytes(called, answered, { in: sent.bytes.length, out: body.bytes })
  if (inspection !== null) endInspection(inspection, progress, fault, body)
  if (requests.takesAll || hasServerError(outcomes)) {
    const status = fault?.row.status ?? 200
    const ended = { status, bytesIn: sent.bytes.length, bytesOut: body.bytes }
    reportCalls(parts, { ...called, transport: 'http', peer: exchange, arrived }, answered, ended)
  }
  progress.answered = true
}

function endInspection(
  inspection: Inspection,
  { bytesIn }: Progress,
  fault: Fault | null,
  body: RpcBody,
): void {
  inspection.timeline.reached('reply')
  inspection.end({ fault, status: fault?.row.status ?? 200, bytesIn, bytesOut: body.bytes })
}

/** The fault that decides the HTTP status: that of a single call, or of a batch that settings refuse entirely. */
function faultOfReply(outcomes: readonly RpcOutcome[], batch: boolean): Fault | null {
  const [first] = outcomes
  if (first === undefined || !('fault' in first)) return null
  return !batch || outcomes.every(isRefusedBySetting) ? first.fault : null
}

function isRefusedBySetting(outcome: RpcOutcome): boolean {
  return 'fault' in outcome && outcome.fault.code === 'refused_by_setting'
}

function acceptBody(exchange: HttpExchange, { bodyBytesMax }: RpcSettings): void {
  const declared = Number(exchange.headers['content-length'] ?? 0)
  if (declared > bodyBytesMax) throw tooLarge(declared, bodyBytesMax)
  exchange.acceptBody()
}

function openEnvelope(body: Body, settings: RpcSettings, progress: Progress): Envelope {
  const { bodyBytesMax } = settings
  progress.read = body.ending === 'whole'
  if (body.ending !== 'whole') progress.form = formOf(body)
  if (body.ending === 'over') throw tooLarge(bodyBytesMax + 1, bodyBytesMax)
  if (body.ending === 'gone') throw new Fault('hung_up')
  if (body.ending === 'late') throw new Fault('body_deadline')
  progress.form = unknownForm
  const envelope = parseEnvelope(body.bytes, settings.batchItemsMax)
  progress.form = envelope
  if (envelope.refusal !== null) throw envelope.refusal
  return envelope
}

function tooLarge(bytes: number, bytesMax: number): Fault {
  return new Fault('too_large', { detail: `content length too large (${bytes}>${bytesMax})` })
}

/** Labels of a request that was refused before any call ran. */
const noLabels = { verified: 'none', head: null, block: null, blockNumber: null }

async function refuse(
  parts: FaceParts,
  exchange: HttpExchange,
  fault: Fault,
  progress: Progress,
  deadlines: Deadlines,
): Promise<void> {
  const { gateway, log, send } = parts
  const { entered } = progress
  const charged =
    entered === null ? 0 : gateway.chargeRefusal(entered.caller, entered.network, fault)
  const units = charged instanceof Promise ? await charged : charged
  progress.inspection?.charged(units)
  if (fault.code === 'internal') {
    log('error', 'request failed', { requestId: exchange.requestId, cause: fault.cause })
  }
  const parsedForm = progress.form
  const { form, read } =
    parsedForm === null
      ? await readForm(exchange, deadlines)
      : { form: 'entries' in parsedForm ? formOf(parsedForm) : parsedForm, read: progress.read }
  const body = refusalBody(fault, form, exchange.requestId)
  const bodyUnread = !read && !exchange.bodyEnded
  const labels = units === 0 ? null : { ...noLabels, units }
  send(exchange, { fault, labels, body, bodyUnread })
  if (progress.inspection !== null) endInspection(progress.inspection, progress, fault, body)
  const { arrived, caller, network, bytesIn } = progress
  const calls = parsedForm !== null && 'entries' in parsedForm ? parsedForm : noCalls
  const items = calls.entries.map(({ item }) => item)
  const { inspection } = progress
  const from = { caller, network, items, batch: form.batch, peer: exchange, arrived, inspection }
  const ended = { status: fault.row.status, units, bytesIn, bytesOut: body.bytes }
  reportRefusal(parts, { ...from, transport: 'http' }, fault, ended)
}

const noCalls: Pick<Envelope, 'entries'> = { entries: [] }
