// An OpenTelemetry collector: receives traces over OTLP/HTTP in JSON, and stores the spans and the text.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'

export type ReceivedSpan = {
  readonly traceId: string
  readonly spanId: string
  /** Undefined: a root span. */
  readonly parentSpanId?: string
  readonly name: string
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly status: { readonly code?: number; readonly message?: string }
}

export type OtlpReceiver = {
  readonly url: string
  /** All bodies as text. */
  readonly text: () => string
  /** Waits for the first span for which `matches` returns true. */
  span(matches: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan>
  readonly spans: readonly ReceivedSpan[]
}

type Value = Readonly<Record<string, unknown>>
type Sent = {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<ReceivedSpan, 'attributes'> & {
        readonly attributes: readonly { readonly key: string; readonly value: Value }[]
      })[]
    }[]
  }[]
}

/** Stopped after the test. */
export async function startOtlpReceiver(t: Pick<TestContext, 'after'>): Promise<OtlpReceiver> {
  const bodies: string[] = []
  const spans: ReceivedSpan[] = []
  let wake = (): void => {}
  function receive(body: string): void {
    bodies.push(body)
    for (const { scopeSpans } of (JSON.parse(body) as Sent).resourceSpans) {
      for (const span of scopeSpans.flatMap((scope) => scope.spans)) {
        const attributes = Object.fromEntries(
          span.attributes.map(({ key, value }) => [key, Object.values(value)[0]]),
        )
        spans.push({ ...span, attributes })
      }
    }
    wake()
  }
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      receive(body)
      response.setHeader('content-type', 'application/json').end('{}')
    })
  })
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    text: () => bodies.join('\n'),
    spans,
    async span(matches) {
      for (;;) {
        const found = spans.find(matches)
        if (found !== undefined) return found
        await new Promise<void>((resolve) => (wake = resolve))
      }
    },
  }
}
