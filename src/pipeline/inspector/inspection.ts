// Records one request for the inspector or for a trace. The API and the pipeline report its progress; when it ends, it becomes an
// InspectedRequest. The key's settings decide what is recorded: without bodies, only sizes.
// Tested by src/pipeline/inspector/inspector.test.ts
import type { KeySettings } from '../../access/accounts/key-settings.ts'
import type { Clock } from '../../base/clock.ts'
import type { Fault } from '../../base/fault.ts'
import { toHex, toQuantity } from '../../base/hex.ts'
import type { ReadTrace } from '../../content/ref.ts'
import type { Credential } from '../authenticate-request.ts'
import type {
  AnswerLabels,
  RecordedCall,
  RecordedOutcome,
  RequestRecorder,
} from '../request-recorder.ts'
import { chargedUnits } from '../price.ts'
import type { InspectedBody, InspectedCall, InspectedRequest } from './inspected-request.ts'
import { createRedact, type Redacted } from './redact.ts'
import { RequestTimeline } from './request-timeline.ts'

/** Transport of a request. */
export type Arrival = {
  readonly face: 'rpc' | 'files'
  readonly transport: 'http' | 'websocket'
  readonly network: string | null
  /** On the monotonic clock. */
  readonly arrived: number
  readonly credential: Omit<Credential, 'caller'>
}

export type Ending = {
  /** Fault of the whole request, or of its only call. */
  readonly fault: Fault | null
  readonly status: number | null
  readonly bytesIn: number
  readonly bytesOut: number
}

/** Called with the finished request, without its id. */
export type StoreInspected = (request: Omit<InspectedRequest, 'id'>) => void

const inspectionLimits = {
  /** Maximum number of recorded calls of a batch. */
  callsMax: 32,
  /** Maximum size of all params and results of one request. */
  bodyCharsMax: 20_000,
  nameCharsMax: 128,
  headerCharsMax: 256,
} as const

/** Arguments and options of a command of the IPFS API. */
type CommandLine = {
  readonly args: readonly string[]
  readonly options: ReadonlyMap<string, boolean | bigint | string>
}

/** A call that ran, and its charged units. */
type Ran = { readonly units: number; readonly outcome: RecordedOutcome }

export class Inspection implements RequestRecorder {
  readonly timeline: RequestTimeline
  readonly watch: ReadTrace
  readonly #arrival: Arrival
  readonly #settings: KeySettings
  readonly #keyId: string
  readonly #time: number
  readonly #store: StoreInspected
  readonly #redact: (text: string, charsMax: number) => Redacted
  readonly #upstreams = new Set<string>()
  #asked: readonly (RecordedCall | Fault)[] = []
  #batch = false
  #ran: readonly Ran[] = []
  #labels: AnswerLabels | null = null
  #charsLeft: number = inspectionLimits.bodyCharsMax
  #charged = 0
  #ended = false

  constructor(parts: {
    readonly arrival: Arrival
    readonly keyId: string
    readonly settings: KeySettings
    readonly clock: Clock
    readonly store: StoreInspected
  }) {
    const { arrival, keyId, settings, clock, store } = parts
    this.#arrival = arrival
    this.#keyId = keyId
    this.#settings = settings
    this.#store = store
    this.timeline = new RequestTimeline(clock, arrival.arrived)
    this.#time = Math.round(clock.now() - this.timeline.totalMs)
    this.#redact = createRedact([
      arrival.credential.key,
      arrival.credential.secret,
      arrival.credential.jwt,
    ])
    this.watch = (step, name) => {
      if (step === 'source') this.#upstreams.add(name)
      return this.timeline.begin(step, name)
    }
  }

  recordCalls(items: readonly (RecordedCall | Fault)[], batch: boolean): void {
    this.#asked = items
    this.#batch = batch
  }

  /** An IPFS command; its arguments are the params. */
  recordCommand(name: string, { args, options }: CommandLine): void {
    const given = Object.fromEntries([...options].map(([key, value]) => [key, plain(value)]))
    this.recordCalls([{ method: name, params: [...args, given] }], false)
  }

  answers(
    priced: readonly { readonly units: number }[],
    outcomes: readonly RecordedOutcome[],
    labels: AnswerLabels,
  ): void {
    this.#ran = outcomes.map((outcome, index) => {
      const fault = 'fault' in outcome ? outcome.fault : null
      return { outcome, units: chargedUnits(priced[index]?.units ?? 0, fault) }
    })
    this.#labels = labels
  }

  /** The request was refused before its calls were read, for `units`. */
  charged(units: number): void {
    this.#charged = units
  }

  /** Only the first call has an effect, and none for a key without inspection. */
  end({ fault, status, bytesIn, bytesOut }: Ending): void {
    if (this.#ended || !this.#settings.inspect) return
    this.#ended = true
    // The time from here on belongs to the inspector, not to the request.
    const ms = this.timeline.totalMs
    const { face, transport, network, credential } = this.#arrival
    const calls = this.#asked
      .slice(0, inspectionLimits.callsMax)
      .map((item, index) => this.#callOf(item, this.#ran[index], fault))
    const faults = this.#ran.flatMap(({ outcome }) => ('fault' in outcome ? [outcome.fault] : []))
    const reported = fault ?? faults[0] ?? null
    const labels = this.#labels
    const { steps, left } = this.timeline.read()
    this.#store({
      keyId: this.#keyId,
      requestId: credential.requestId ?? null,
      time: this.#time,
      face,
      transport,
      network,
      method: this.#batch ? 'batch' : (calls[0]?.method ?? ''),
      batch: this.#batch ? this.#asked.length : null,
      outcome: reported?.code ?? 'ok',
      reason: reasonOf(reported),
      errorCode: this.#errorCodeOf(reported),
      failed: fault !== null && faults.length === 0 ? this.#asked.length : faults.length,
      status,
      units: labels?.units ?? this.#charged,
      bytesIn,
      bytesOut,
      ms,
      verified: labels?.verified ?? null,
      head: labels?.head ?? null,
      block: blockOf(labels),
      upstreams: [...this.#upstreams].map((name) => name.slice(0, inspectionLimits.nameCharsMax)),
      origin: this.#header(credential.origin),
      userAgent: this.#header(credential.userAgent),
      address: this.#settings.inspectAddresses ? (credential.address ?? null) : null,
      calls,
      timeline: steps,
      stepsLeft: left,
    })
  }

  #callOf(item: RecordedCall | Fault, ran: Ran | undefined, whole: Fault | null): InspectedCall {
    const outcome: RecordedOutcome | null = ran?.outcome ?? (whole && { fault: whole })
    const fault = outcome !== null && 'fault' in outcome ? outcome.fault : null
    const isCall = 'method' in item
    const { nameCharsMax } = inspectionLimits
    return {
      method: isCall ? this.#redact(item.method, nameCharsMax).text : '',
      outcome: fault?.code ?? 'ok',
      reason: reasonOf(fault),
      errorCode: this.#errorCodeOf(fault),
      units: ran?.units ?? 0,
      params: this.#body(isCall ? asJson(item.params) : ''),
      result: this.#arrival.face === 'files' || outcome === null ? null : this.#resultOf(outcome),
    }
  }

  #resultOf(outcome: RecordedOutcome): InspectedBody {
    if (!('fault' in outcome)) {
      return this.#body('text' in outcome ? outcome.text : asJson(outcome.result))
    }
    const { rpcCode: code, message, data } = outcome.fault
    return this.#body(asJson({ code, message, ...(data === undefined ? {} : { data }) }))
  }

  #errorCodeOf(fault: Fault | null): number | null {
    return fault === null || this.#arrival.face === 'files' ? null : fault.rpcCode
  }

  #body(json: string): InspectedBody {
    const bytes = Buffer.byteLength(json)
    if (!this.#settings.inspectBodies) return { text: null, bytes, cut: false }
    const { text, cut } = this.#redact(json, this.#charsLeft)
    this.#charsLeft -= text.length
    return { text, bytes, cut }
  }

  #header(value: string | undefined): string | null {
    if (value === undefined) return null
    return this.#redact(value, inspectionLimits.headerCharsMax).text
  }
}

/** Options of IPFS commands may be bigints. */
function plain(value: boolean | bigint | string): boolean | string {
  return typeof value === 'bigint' ? value.toString() : value
}

function asJson(value: unknown): string {
  return (JSON.stringify(value) as string | undefined) ?? 'null'
}

function reasonOf(fault: Fault | null): string | null {
  const data = fault?.data
  const reason = typeof data === 'object' ? data['reason'] : undefined
  return typeof reason === 'string' ? reason : null
}

function blockOf(labels: AnswerLabels | null): InspectedRequest['block'] {
  if (labels === null || labels.block === null || labels.blockNumber === null) return null
  return { hash: toHex(labels.block), number: toQuantity(labels.blockNumber) }
}
