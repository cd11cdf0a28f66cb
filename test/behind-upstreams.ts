// Starts Cairn in front of upstream nodes: a settings file with one network, and a client that returns the labels.
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type Started, startCairn, temporaryFolder } from './started-server.ts'

export type Answer = {
  readonly status: number
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
  /** `x-cairn-verified` and `x-cairn-head`; null if absent. */
  readonly level: string | null
  readonly anchor: string | null
  readonly units: string | null
  readonly text: string
}

export type CairnWithUpstreams = Started & {
  /** Sends with the first key, or with another one. */
  ask(method: string, params: readonly unknown[], apiKey?: string): Promise<Answer>
  /** The log of invalid replies, newest first. */
  invalidReplies(): Promise<readonly LoggedInvalidReply[]>
}

export type LoggedInvalidReply = {
  readonly upstream: string
  readonly method: string
  readonly expected: string
  readonly computed: string
}

export type UpstreamChoice = { readonly url: string } & Readonly<Record<string, unknown>>

/** `network`: members of the network in addition to `name: chain` and `upstreams`. Stopped after the test. */
export async function startBehind(
  t: Pick<TestContext, 'after'>,
  upstreams: readonly UpstreamChoice[],
  network: Readonly<Record<string, unknown>> & { readonly chainId: number },
  settings: Readonly<Record<string, unknown>> = {},
  env: Record<string, string> = {},
): Promise<CairnWithUpstreams> {
  const dataDir = await temporaryFolder()
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const config = join(dataDir, 'upstreams.yaml')
  // JSON is valid YAML.
  await writeFile(
    config,
    JSON.stringify({ ...settings, networks: [{ name: 'chain', ...network, upstreams }] }),
  )
  const cairn = await startCairn({ dataDir, args: ['--config', config], env })
  t.after(() => cairn.stop())
  return {
    ...cairn,
    async invalidReplies() {
      const shown = await cairn.cli('upstreams', '--config', config, '--lies', '1000')
      return (shown as unknown as { lies: readonly LoggedInvalidReply[] }).lies
    },
    ask: (method, params, apiKey = cairn.apiKey) => ask(cairn.url, apiKey, { method, params }),
  }
}

async function ask(url: string, apiKey: string, call: object): Promise<Answer> {
  const response = await fetch(`${url}/v3/${apiKey}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...call }),
  })
  const text = await response.text()
  const { result, error } = JSON.parse(text) as Pick<Answer, 'result' | 'error'>
  return {
    status: response.status,
    ...(result === undefined ? {} : { result }),
    ...(error === undefined ? {} : { error }),
    level: response.headers.get('x-cairn-verified'),
    anchor: response.headers.get('x-cairn-head'),
    units: response.headers.get('x-cairn-units'),
    text,
  }
}
