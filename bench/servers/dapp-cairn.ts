// Cairn with one network behind the geth of the dapp traffic, in one of three modes, and its replies with their labels.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'undici'
import { startCairn } from '../../test/started-server.ts'
import { dappBlobSchedule, dappChainId } from '../data/dapps/chain.ts'
import type { PageCall } from '../data/dapps/pages.ts'
import type { Server } from './bare.ts'
import { createKeys } from './cairn.ts'

export type LabelledReply = {
  /** `x-cairn-verified`; empty: the reply is not Cairn's. */
  readonly label: string
  readonly result?: unknown
  readonly error?: unknown
}

/** A server that answers calls: Cairn or a node. */
export type Answerer = {
  /** Replies in the order of the calls, which are sent over several connections. Rejects if a reply is not JSON. */
  answer(calls: readonly PageCall[]): Promise<readonly LabelledReply[]>
  close(): Promise<void>
}

export type DappCairn = Server & Answerer

/** Concurrent calls of a page, as in a browser. */
const connections = 6

/** `paths`: used in rotation. */
export function createAnswerer(url: string, paths: readonly string[]): Answerer {
  const pool = new Pool(url, { connections, pipelining: 1 })
  let sent = 0

  async function send({ method, params }: PageCall): Promise<LabelledReply> {
    sent += 1
    const reply = await pool.request({
      path: paths[sent % paths.length] ?? '/',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: sent, method, params }),
    })
    const { result, error } = (await reply.body.json()) as Omit<LabelledReply, 'label'>
    return { label: String(reply.headers['x-cairn-verified'] ?? ''), result, error }
  }

  return {
    answer: (calls) => Promise.all(calls.map(send)),
    close: () => pool.close(),
  }
}

/** `verify`: the setting of the network. */
export async function startDappCairn(
  upstream: { readonly url: string; readonly genesisFile: string },
  verify: unknown,
): Promise<DappCairn> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-bench-dapps-'))
  const configFile = join(folder, 'cairn.yaml')
  const dataDir = join(folder, 'data')
  const network = {
    name: 'dapps',
    chainId: dappChainId,
    genesisFile: upstream.genesisFile,
    blobSchedule: dappBlobSchedule,
    verify,
    heads: { pollMs: 50 },
    upstreams: [{ url: upstream.url, trusted: true, wsUrl: null }],
  }
  // JSON is valid YAML.
  await writeFile(configFile, JSON.stringify({ networks: [network] }))
  const started = await startCairn({ dataDir, args: ['--config', configFile] })
  const answerer = createAnswerer(started.url, await createKeys(dataDir))
  return {
    ...answerer,
    pid: started.child.pid ?? 0,
    port: Number(new URL(started.url).port),
    async stop() {
      await answerer.close()
      await started.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
