// OpenTelemetry traces: one span per request, with a child span for each stage and read. Spans are created after the request has
// ended, so a collector delays no request. The SDK is loaded only if the standard environment variables enable traces; the operator
// installs it.
// Tested by test/server/traces.test.ts
import type { Attributes, Context, Tracer } from '@opentelemetry/api'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { setEnvironmentVariable } from '../config/config.ts'
import { type FinishedRequest, isServerError } from '../pipeline/request-log/finished-request.ts'
import type { TimelineStep } from '../pipeline/inspector/request-timeline.ts'

export type Traces = {
  /** Creates the spans of a finished request. Does not throw. */
  add(request: FinishedRequest): void
  /** Exports queued spans, for at most 2 s. */
  stop(): Promise<void>
}

/** Environment of the process. The SDK reads its own copy. */
export type TraceEnvironment = Readonly<Record<string, string | undefined>>

type Api = typeof import('@opentelemetry/api')

/** Interval of reports of failed exports. */
const reportMs = 60_000
/** Time limit of a stop for a slow collector. */
const stopMs = 2_000
const detailCharsMax = 300

/** https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ */
function asksForTraces(env: TraceEnvironment): boolean {
  if (env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return false
  const exporters = exportersOf(env)
  // The SDK rejects `none` next to other names, and then exports over OTLP.
  if (exporters.length > 0) return exporters.some((name) => name !== 'none')
  return ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'].some(
    (name) => (env[name] ?? '') !== '',
  )
}

/** Exporters of the SDK. */
const knownExporters: readonly string[] = ['otlp', 'console', 'zipkin']

function exportersOf(env: TraceEnvironment): readonly string[] {
  const names = (env['OTEL_TRACES_EXPORTER'] ?? '').split(',').map((name) => name.trim())
  return names.filter((name) => name !== '')
}

/** Null: the environment does not enable traces, or they cannot be exported, which is logged. Never rejects. */
export async function openTraces(parts: {
  readonly env: TraceEnvironment
  /** Version of Cairn. */
  readonly version: string
  readonly clock: Clock
  readonly log: Log
}): Promise<Traces | null> {
  const { env, version, clock, log } = parts
  if (!asksForTraces(env)) return null
  let shutdown: () => Promise<void>
  let api: Api
  const report = failureReport(clock, log)
  try {
    api = await import('@opentelemetry/api')
    if (env['OTEL_LOG_LEVEL'] === undefined) reportFailures(api, report)
    shutdown = await startSdk(api, env)
  } catch (error) {
    const isMissing = (error as { readonly code?: unknown }).code === 'ERR_MODULE_NOT_FOUND'
    const cause = isMissing
      ? 'the SDK is not installed: run npm install @opentelemetry/sdk-node in the folder where Cairn is installed'
      : error
    log('error', 'traces_not_exported', { cause })
    return null
  }
  const tracer = api.trace.getTracer('cairn', version)
  log('info', 'traces_exported')
  return {
    add(request) {
      try {
        writeSpans(api, tracer, request, clock.now())
      } catch (error) {
        // A sampler or processor of the operator has thrown.
        report(error)
      }
    },
    async stop() {
      await new Promise<void>((resolve) => {
        const stopTimer = clock.after(stopMs, resolve)
        const ended = (): void => {
          stopTimer()
          resolve()
        }
        shutdown().then(ended, ended)
      })
    },
  }
}

/** Returns the stop function. If a `node --import` module has registered an SDK, uses that instead. */
async function startSdk(api: Api, env: TraceEnvironment): Promise<() => Promise<void>> {
  if (hasSdk(api)) return async () => {}
  const { NodeSDK } = await import('@opentelemetry/sdk-node')
  // The process detector exports the command line, which may contain the URL of an upstream with its key.
  const detectors = (env['OTEL_NODE_RESOURCE_DETECTORS'] ?? 'env,host,os,serviceinstance')
    .split(',')
    .flatMap((name) => (name.trim() === 'all' ? ['env', 'host', 'os', 'serviceinstance'] : [name]))
    .filter((name) => name.trim() !== 'process')
  setEnvironmentVariable('OTEL_NODE_RESOURCE_DETECTORS', detectors.join(',') || 'none')
  const isNamed =
    env['OTEL_SERVICE_NAME'] !== undefined ||
    (env['OTEL_RESOURCE_ATTRIBUTES'] ?? '').includes('service.name=')
  const sdk = new NodeSDK(isNamed ? {} : { serviceName: 'cairn' })
  sdk.start()
  if (!hasSdk(api)) {
    await sdk.shutdown().catch(() => {})
    const exporters = exportersOf(env)
    const isUnknown =
      exporters.length > 0 && !exporters.some((name) => knownExporters.includes(name))
    throw new Error(
      isUnknown
        ? `the SDK registered no exporter: OTEL_TRACES_EXPORTER is ${exporters.join()}, expected ${knownExporters.join(', ')}`
        : 'the SDK did not register, its @opentelemetry/api is too old: run npm install @opentelemetry/sdk-node@latest in the folder where Cairn is installed',
    )
  }
  return () => sdk.shutdown()
}

function hasSdk({ trace, ProxyTracerProvider }: Api): boolean {
  const provider = trace.getTracerProvider()
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer('') !== undefined
}

type Report = (...details: readonly unknown[]) => void

/** Logs at most one line a minute. */
function failureReport(clock: Clock, log: Log): Report {
  let reported = Number.NEGATIVE_INFINITY
  return (...details) => {
    const now = clock.monotonic()
    if (now - reported < reportMs) return
    reported = now
    log('warn', 'trace_export_failed', {
      cause: details.map(String).join(' ').slice(0, detailCharsMax),
    })
  }
}

/** The SDK reports failed exports to `report`. */
function reportFailures({ diag, DiagLogLevel }: Api, report: Report): void {
  const silent = (): void => {}
  const logger = { error: report, warn: report, info: silent, debug: silent, verbose: silent }
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
}

type Reads = Exclude<TimelineStep['step'], Stage>
type Stage = 'auth' | 'body' | 'parse' | 'admit' | 'run' | 'reply'

const stageNames: Readonly<Record<Stage, string>> = {
  auth: 'authenticate',
  body: 'read body',
  parse: 'parse',
  admit: 'admit',
  run: 'run',
  reply: 'send reply',
}

/** Reads of the store and hash checks are combined: one span with their number. */
const readNames: Readonly<Record<Reads, string>> = {
  kept: 'answer cache',
  store: 'read store',
  source: 'query upstream',
  verify: 'verify',
}

function isStage(step: TimelineStep['step']): step is Stage {
  return step in stageNames
}

/** `ended`: milliseconds since 1970 UTC. */
function writeSpans(api: Api, tracer: Tracer, request: FinishedRequest, ended: number): void {
  const { SpanKind, SpanStatusCode } = api
  const began = ended - request.ms
  const parent = api.propagation.extract(
    api.ROOT_CONTEXT,
    request.traceParent === null ? {} : { traceparent: request.traceParent },
  )
  const spanOptions = { kind: SpanKind.SERVER, startTime: began, attributes: attributesOf(request) }
  const span = tracer.startSpan(nameOf(request), spanOptions, parent)
  const fault = request.calls.find((call) => isServerError(call.fault))?.fault
  if (fault) span.setStatus({ code: SpanStatusCode.ERROR, message: fault.code })
  if (span.isRecording()) {
    const within = api.trace.setSpan(parent, span)
    // Reads are children of the stage that made them, if that has ended.
    let running = within
    for (const step of request.steps) {
      if (!isStage(step.step)) continue
      const context = writeStep(step, within)
      if (step.step === 'run') running = context
    }
    for (const step of request.steps) if (!isStage(step.step)) writeStep(step, running)
  }
  span.end(ended)

  function writeStep({ step, name, startMs, ms, count, outcome }: TimelineStep, within: Context) {
    const startTime = began + startMs
    const attributes = {
      ...(name === '' ? {} : { 'cairn.upstream': name }),
      ...(count === 1 ? {} : { 'cairn.count': count }),
      'cairn.outcome': outcome,
    }
    const kind = step === 'source' ? SpanKind.CLIENT : SpanKind.INTERNAL
    const title = isStage(step) ? stageNames[step] : readNames[step]
    const child = tracer.startSpan(title, { kind, startTime, attributes }, within)
    // The step was still running when its request ended, such as a query to an upstream that was no longer needed.
    child.end(outcome === 'open' ? ended : startTime + ms)
    return api.trace.setSpan(within, child)
  }
}

/** From a small set: an existing method, command or operation. */
function nameOf({ api, batch, calls }: FinishedRequest): string {
  const method = batch ? 'batch' : (calls[0]?.method ?? '')
  if (api === 'rpc') return method === '' ? 'jsonrpc' : method
  return method === '' ? api : `${api} ${method}`
}

/**
 * OpenTelemetry's attribute names where they exist, otherwise `cairn.…`. Never contains a key, a path, a parameter or an address.
 */
function attributesOf(request: FinishedRequest): Attributes {
  const { api, batch, calls, caller, network, status, verified } = request
  const faults = calls.flatMap(({ fault }) => fault ?? [])
  const [fault] = faults
  const methods = new Set(calls.map(({ method }) => method).filter((method) => method !== ''))
  const [method] = methods
  return {
    'cairn.api': api,
    'cairn.request_id': request.requestId,
    'cairn.outcome': fault?.code ?? 'ok',
    'cairn.units': request.units,
    'http.request.body.size': request.bytesIn,
    'http.response.body.size': request.bytesOut,
    ...(api === 'rpc' ? { 'rpc.system.name': 'jsonrpc', 'jsonrpc.protocol.version': '2.0' } : {}),
    ...(!batch && method !== undefined ? { 'rpc.method': method } : {}),
    ...(batch ? { 'cairn.calls': calls.length, 'cairn.methods': [...methods].slice(0, 16) } : {}),
    ...(batch ? { 'cairn.calls_failed': faults.length } : {}),
    ...(fault === undefined ? {} : { 'error.type': fault.code }),
    ...(network === null ? {} : { 'cairn.network': network }),
    ...(caller === null
      ? {}
      : { 'cairn.key_id': caller.keyId ?? '', 'cairn.account_id': caller.accountId ?? '' }),
    ...(status === null ? {} : { 'http.response.status_code': status }),
    ...(verified === null ? {} : { 'cairn.verified': verified }),
  }
}
