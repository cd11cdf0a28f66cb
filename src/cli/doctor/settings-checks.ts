// Settings that can be used and still do harm, and the sentence for those that cannot.
// Tested by src/cli/doctor/doctor.test.ts
import { isLoopback } from '../../base/loopback.ts'
import type { Loaded } from '../../config/load.ts'
import type { ConfigIssue } from '../../config/config-issue.ts'
import { type Config, embeddedChain } from '../../config/settings.ts'
import { advice, chainLine, problem, type CommandLine, type Problem } from './problem.ts'

/** A value in the settings file: `where` is `cairn.yaml:3`. */
export type Written = { readonly path: string; readonly where: string }

const mib = 1024 * 1024
// EIP-7594: at most 6 blobs a transaction, each 131072 bytes with 128 proofs and a commitment of 48, in hex.
const blobTransactionBytes = 6 * (131_072 + 129 * 48) * 2
/** nginx, HAProxy and the large balancers keep an idle connection for 60 s. */
const proxyIdleMs = 60_000
/** What `docker stop` waits before it kills. */
const stopMs = 10_000

/** One thing that keeps the settings from being used. */
export function explainRefusal({ code, text, fix }: ConfigIssue, command: CommandLine): Problem {
  const again = code === 'wrong_setting' ? `, then: ${command('config check')}` : ''
  return problem(code, text, `${fix}${again}`)
}

export function checkSettings(
  { config, origins, ignored }: Loaded<Config>,
  written: readonly Written[],
): readonly Problem[] {
  return [
    ...ignored.map((name) =>
      advice('unread_variable', `${name} is set, and no setting reads it`, `unset ${name}`),
    ),
    ...written.flatMap(({ path, where }) => {
      const over = origins.get(path)
      if (over === undefined || over.origin === 'file') return []
      const fix = over.origin === 'env' ? `unset ${over.where}` : `leave out ${over.where}`
      return [advice('overridden', `${over.where} overrides ${path} of ${where}`, fix)]
    }),
    ...checkTimes(config),
    ...checkSizes(config),
    ...(isLoopback(config.http.host) ? [] : checkPublic(config)),
  ]
}

function* checkTimes(config: Config): Generator<Problem> {
  const { http, rpc } = config
  const chain = embeddedChain(config)
  if (http.keepAliveMs <= proxyIdleMs) {
    yield advice(
      'keep_alive_short',
      `http.keepAliveMs is ${http.keepAliveMs}: a proxy that reuses connections for 60 s meets closed ones and answers 502`,
      'http: {keepAliveMs: 75000}',
    )
  }
  if (http.headersMs < 1000) {
    yield advice(
      'headers_short',
      `http.headersMs is ${http.headersMs}: callers on slow lines are cut off`,
      'http: {headersMs: 10000}',
    )
  }
  if (http.headersMs > proxyIdleMs) {
    yield advice(
      'headers_long',
      `http.headersMs is ${http.headersMs}: a caller may hold a connection that long without a request`,
      'http: {headersMs: 10000}',
    )
  }
  if (http.drainMs >= stopMs) {
    yield advice(
      'drain_long',
      `http.drainMs is ${http.drainMs}: docker stop kills after 10 s, Kubernetes after 30 s, systemd after 90 s`,
      'http: {drainMs: 3000}, or a longer stop time there',
    )
  }
  if (rpc.requestMs >= proxyIdleMs) {
    yield advice(
      'request_long',
      `rpc.requestMs is ${rpc.requestMs}: most proxies give up after 60 s and answer 504 first`,
      'rpc: {requestMs: 30000}',
    )
  }
  if (rpc.requestMs < 1000) {
    yield advice(
      'request_short',
      `rpc.requestMs is ${rpc.requestMs}: calls that need the EVM may not end in time`,
      'rpc: {requestMs: 30000}',
    )
  }
  if (chain !== null && chain.mining !== 'interval' && chain.blockSeconds !== 12) {
    yield advice(
      'block_seconds_unused',
      `blockSeconds of ${chain.name} is ${chain.blockSeconds}, and mining is ${chain.mining}: it has no effect`,
      chainLine(config, 'mining: interval'),
    )
  }
}

function* checkSizes({ http, rpc, files, store }: Config): Generator<Problem> {
  if (rpc.bodyBytesMax < blobTransactionBytes) {
    yield advice(
      'body_small',
      `rpc.bodyBytesMax is ${rpc.bodyBytesMax}: a transaction with 6 blobs has ${blobTransactionBytes} bytes in hex`,
      'rpc: {bodyBytesMax: 5242880}',
    )
  }
  if (rpc.responseBytesMax < mib) {
    yield advice(
      'response_small',
      `rpc.responseBytesMax is ${rpc.responseBytesMax}: a full block with its transactions does not fit`,
      'rpc: {responseBytesMax: 26214400}',
    )
  }
  if (rpc.batchItemsMax < 100) {
    yield advice(
      'batch_small',
      `rpc.batchItemsMax is ${rpc.batchItemsMax}: ethers puts up to 100 calls in a batch, and such batches fail`,
      'rpc: {batchItemsMax: 100}',
    )
  }
  if (http.connectionsPerAddressMax >= http.connectionsMax) {
    yield advice(
      'one_address_takes_all',
      `http.connectionsPerAddressMax is ${http.connectionsPerAddressMax} of ${http.connectionsMax}: one address may take all connections`,
      `http: {connectionsPerAddressMax: ${Math.ceil(http.connectionsMax / 4)}}`,
    )
  }
  const upload = files.uploadBytesMax
  if (upload !== null && upload < 2 * mib) {
    yield advice(
      'upload_small',
      `files.uploadBytesMax is ${upload}: the largest block that IPFS passes on has 2 MiB`,
      'files: {uploadBytesMax: 104857600}',
    )
  }
  if (upload !== null && store.bytesMax !== null && upload > store.bytesMax) {
    yield problem(
      'upload_over_store',
      `files.uploadBytesMax is ${upload} and store.bytesMax ${store.bytesMax}: such an upload can never be kept`,
      `files: {uploadBytesMax: ${store.bytesMax}}`,
    )
  }
}

function* checkPublic(config: Config): Generator<Problem> {
  const { http, card, log } = config
  yield advice(
    'no_tls',
    `http.host is ${http.host}: keys and secrets cross the network in clear unless a TLS proxy stands in front`,
    'http: {host: 127.0.0.1}, and a proxy with a certificate',
  )
  if (card.adapter === 'none') {
    yield advice(
      'no_card_gate',
      'card.adapter is none on a public address: every key may store files',
      'card: {adapter: manual}',
    )
  }
  if (embeddedChain(config)?.genesisFile === null) {
    yield advice(
      'public_dev_accounts',
      'the built-in chain is open to other machines, and everybody knows the keys of its funded accounts',
      `${chainLine(config, 'genesisFile: ./genesis.json')}, or http: {host: 127.0.0.1}`,
    )
  }
  if (log.level === 'debug') {
    yield advice('debug_log', 'log.level is debug on a public address', 'log: {level: info}')
  }
}
