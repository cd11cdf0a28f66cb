// From one WebSocket frame to one reply: the envelope, the pipeline and the rendering of the JSON-RPC API, without HTTP.
// Tested by src/rpc/api/web-socket-api.test.ts
import type { RpcPipeline } from '../rpc-pipeline.ts'
import type { Caller } from '../../access/accounts/caller.ts'
import type { Clock } from '../../base/clock.ts'
import type { FairTimeSlices } from '../../base/fair-time-slices.ts'
import { Fault, type FaultCode } from '../../base/fault.ts'
import type { Log } from '../../base/log.ts'
import type { Network } from '../../chain/network.ts'
import type { SubscriptionsFrame } from '../subscriptions/subscriptions.ts'
import type { Credential } from '../../pipeline/authenticate-request.ts'
import type { RpcAnswer, RpcOutcome } from '../rpc-pipeline.ts'
import type { Inspection } from '../../pipeline/inspector/inspection.ts'
import type { Inspector } from '../../pipeline/inspector/inspector.ts'
import { type Envelope, parseEnvelope } from './envelope.ts'
import { type RpcSettings, answerWithin, longBodyBytes } from './rpc-api.ts'
import { ReplyWriter, formOf, refusalBody, unknownForm } from './rpc-reply.ts'
import { type RequestLog, silentRequestLog } from '../../pipeline/request-log/finished-request.ts'
import { hasServerError, reportCalls, reportRefusal } from './report-request.ts'

export type FrameParts = {
  readonly gateway: RpcPipeline
  readonly settings: RpcSettings
  readonly inspector: Pick<Inspector, 'begin'>
  /** Absent: no request is logged. */
  readonly requests?: RequestLog
  /** Time slices of the request thread, for long frames. */
  readonly timeSlices: Pick<FairTimeSlices, 'enter'>
  readonly clock: Clock
  readonly log: Log
}

export type Frame = {
  readonly caller: Caller
  readonly network: Network
  readonly bytes: Uint8Array
  /** The credential of the connection. */
  readonly credential: Credential
  /** Included in `internal` errors. */
  readonly requestId: string
  readonly proof: boolean
  readonly request: FrameRequest
  readonly subscriptions: SubscriptionsFrame
  /** Not null: the frame is refused with this fault, whatever it contains. */
  readonly refusal: Fault | null
}

/**
 * `text`: empty if the frame contains only notifications. `refused`: the fault of a frame that was refused as a whole. `outcomes`:
 * the caller rolls them back if it does not send the text.
 */
export type FrameReply = {
  readonly text: string
  readonly refused: FaultCode | null
  readonly outcomes: readonly RpcOutcome[]
}

/** Cancellation of the calls of one frame. Creates its signal on first use, because calls answered from memory need none. */
export class FrameRequest {
  #controller: AbortController | null = null
  #reason: Fault | null = null

  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController()
      if (this.#reason !== null) this.#controller.abort(this.#reason)
    }
    return this.#controller.signal
  }

  /** Only the first reason counts. */
  abort(reason: Fault): void {
    this.#reason ??= reason
    this.#controller?.abort(reason)
  }
}

/** Answers `frame`, synchronously if every answer is in memory. Never throws. */
export function answerFrame(parts: FrameParts, frame: Frame): FrameReply | Promise<FrameReply> {
  const isLong = frame.bytes.length > longBodyBytes
  const slice = isLong ? parts.timeSlices.enter(frame.caller.accountId) : null
  return slice === null
    ? answerInspected(parts, frame)
    : slice.then(() => answerInspected(parts, frame))
}

function answerInspected(parts: FrameParts, frame: Frame): FrameReply | Promise<FrameReply> {
  const { requests = silentRequestLog } = parts
  if (!frame.caller.settings.inspect && !requests.takesSteps) return answer(parts, frame, null)
  const { caller, network, credential } = frame
  const where = { face: 'rpc', transport: 'websocket', network: network.name } as const
  const arrived = parts.clock.monotonic()
  const inspection = parts.inspector.begin(caller, { ...where, arrived, credential })
  const reply = answer(parts, frame, inspection)
  const end = (finished: FrameReply): FrameReply => {
    inspection.timeline.reached('reply')
    const bytes = { bytesIn: frame.bytes.length, bytesOut: Buffer.byteLength(finished.text) }
    const fault = finished.refused === null ? null : new Fault(finished.refused)
    inspection.end({ fault, status: null, ...bytes })
    return finished
  }
  return reply instanceof Promise ? reply.then(end) : end(reply)
}

/** `arrived`: monotonic. `inspection` null: the steps are not recorded. */
type Begun = { readonly arrived: number; readonly inspection: Inspection | null }

function answer(
  parts: FrameParts,
  frame: Frame,
  inspection: Inspection | null,
): FrameReply | Promise<FrameReply> {
  const { gateway, settings, clock } = parts
  const { caller, network, bytes, proof, request, subscriptions } = frame
  const begun = { arrived: clock.monotonic(), inspection }
  let envelope: Envelope | null = null
  try {
    envelope = parseEnvelope(bytes, settings.batchItemsMax)
    const { batch, entries } = envelope
    if (frame.refusal !== null) throw frame.refusal
    if (envelope.refusal !== null) throw envelope.refusal
    const items = entries.map(({ item }) => item)
    const called = {
      caller,
      network,
      items,
      batch,
      proof,
      exchange: request,
      subscriptions,
      inspection,
    }
    const running = gateway.runRpc(called)
    if (!(running instanceof Promise)) return replyTo(parts, frame, envelope, running, begun)
    const opened = envelope
    return answerWithin(running, request.signal, clock).then(
      (answer) => replyTo(parts, frame, opened, answer, begun),
      (thrown: unknown) => refuse(parts, frame, opened, thrown, { ...begun, units: 0 }),
    )
  } catch (thrown) {
    const unrun = envelope === null || envelope.refusal !== null
    if (!unrun) return refuse(parts, frame, envelope, thrown, { ...begun, units: 0 })
    const refuseCharged = (units: number): FrameReply => {
      inspection?.charged(units)
      return refuse(parts, frame, envelope, thrown, { ...begun, units })
    }
    const charged = gateway.chargeRefusal(caller, network, Fault.from(thrown))
    return charged instanceof Promise ? charged.then(refuseCharged) : refuseCharged(charged)
  }
}

function replyTo(
  parts: FrameParts,
  frame: Frame,
  envelope: Envelope,
  answered: RpcAnswer,
  begun: Begun,
): FrameReply {
  const { gateway, settings, requests = silentRequestLog } = parts
  const { batch, entries } = envelope
  const { outcomes } = answered
  const writer = new ReplyWriter(settings.replyBytesMax, frame.requestId)
  for (let index = 0; index < entries.length; index++) {
    const { id } = entries[index] as (typeof entries)[number]
    writer.add(id, outcomes[index] ?? { fault: new Fault('internal') })
  }
  const body = writer.body(batch)
  gateway.countBytes(frame, answered, { in: frame.bytes.length, out: body.bytes })
  if (requests.takesAll || hasServerError(outcomes)) {
    const ended = { status: null, bytesIn: frame.bytes.length, bytesOut: body.bytes }
    reportCalls({ ...parts, requests }, fromOf(frame, envelope, begun), answered, ended)
  }
  return { text: body.text, refused: null, outcomes }
}

function refuse(
  parts: FrameParts,
  frame: Frame,
  envelope: Envelope | null,
  thrown: unknown,
  { units, ...begun }: Begun & { readonly units: number },
): FrameReply {
  const { log, requests = silentRequestLog } = parts
  const { requestId } = frame
  const fault = Fault.from(thrown)
  if (fault.code === 'internal') log('error', 'request failed', { requestId, cause: fault.cause })
  const form = envelope === null ? unknownForm : formOf(envelope)
  const { text, bytes } = refusalBody(fault, form, requestId)
  const ended = { status: null, units, bytesIn: frame.bytes.length, bytesOut: bytes }
  reportRefusal({ ...parts, requests }, fromOf(frame, envelope, begun), fault, ended)
  return { text, refused: fault.code, outcomes: [] }
}

function fromOf(
  { caller, network, requestId, credential }: Frame,
  envelope: Envelope | null,
  begun: Begun,
) {
  const { address = '' } = credential
  return {
    transport: 'websocket',
    peer: { requestId, address },
    ...begun,
    caller,
    network,
    items: envelope?.entries.map(({ item }) => item) ?? [],
    batch: envelope?.batch ?? false,
  } as const
}
