// Settings that are valid but harmful, and messages for invalid settings.
// Tested by src/cli/doctor/doctor.test.ts
import { isLoopback } from '../../base/addresses.ts'
import type { Loaded } from '../../config/load.ts'
import type { ConfigIssue } from '../../config/config-issue.ts'
import { type Config, embeddedChain } from '../../config/settings.ts'
import {
  warning,
  chainLine,
  problem,
  type CommandLine,
  type Problem,
} from '../../server/network-checks/problem.ts'

/** A value in the settings file: `where` is `cairn.yaml:3`. */
export type Written = { readonly path: string; readonly where: string }

const mib = 1024 * 1024
// EIP-7594: at most 6 blobs per transaction, each with 131072 bytes, 128 proofs and a commitment of 48 bytes, in hex.
const blobTransactionBytes = 6 * (131_072 + 129 * 48) * 2
/** nginx, HAProxy and cloud load balancers keep an idle connection for 60 s. */
const proxyIdleMs = 60_000
/** Time between SIGTERM and SIGKILL of `docker stop`. */
const stopMs = 10_000

/** A setting that cannot be used. */
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
      warning('unread_variable', `${name} is set, but it is not a setting`, `unset ${name}`),
    ),
    ...written.flatMap(({ path, where }) => {
      const over = origins.get(path)
      if (over === undefined || over.origin === 'file') return []
      const fix = over.origin === 'env' ? `unset ${over.where}` : `remove ${over.where}`
      return [warning('overridden', `${over.where} overrides ${path} of ${where}`, fix)]
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
    yield warning(
      'keep_alive_short',
      `http.keepAliveMs is ${http.keepAliveMs}: a proxy that reuses connections for 60 s finds them closed and returns 502`,
      'http: {keepAliveMs: 75000}',
    )
  }
  if (http.headersMs < 1000) {
    yield warning(
      'headers_short',
      `http.headersMs is ${http.headersMs}: Cairn disconnects clients with slow connections`,
      'http: {headersMs: 10000}',
    )
  }
  if (http.headersMs > proxyIdleMs) {
    yield warning(
      'headers_long',
      `http.headersMs is ${http.headersMs}: a client can hold a connection that long without a request`,
      'http: {headersMs: 10000}',
    )
  }
  if (http.drainMs >= stopMs) {
    yield warning(
      'drain_long',
      `http.drainMs is ${http.drainMs}: docker stop kills after 10 s, Kubernetes after 30 s, systemd after 90 s`,
      'http: {drainMs: 3000}, or a longer stop time',
    )
  }
  if (rpc.requestMs >= proxyIdleMs) {
    yield warning(
      'request_long',
      `rpc.requestMs is ${rpc.requestMs}: most proxies return 504 after 60 s`,
      'rpc: {requestMs: 30000}',
    )
  }
  if (rpc.requestMs < 1000) {
    yield warning(
      'request_short',
      `rpc.requestMs is ${rpc.requestMs}: calls that need the EVM may exceed it`,
      'rpc: {requestMs: 30000}',
    )
  }
  if (chain !== null && chain.mining !== 'interval' && chain.blockSeconds !== 12) {
    yield warning(
      'block_seconds_unused',
      `blockSeconds of ${chain.name} is ${chain.blockSeconds}, but has no effect with mining ${chain.mining}`,
      chainLine(config, 'mining: interval'),
    )
  }
}

function* checkSizes({ http, rpc, files, store }: Config): Generator<Problem> {
  if (rpc.bodyBytesMax < blobTransactionBytes) {
    yield warning(
      'body_small',
      `rpc.bodyBytesMax is ${rpc.bodyBytesMax}: a transaction with 6 blobs has ${blobTransactionBytes} bytes in hex`,
      'rpc: {bodyBytesMax: 5242880}',
    )
  }
  if (rpc.responseBytesMax < mib) {
    yield warning(
      'response_small',
      `rpc.responseBytesMax is ${rpc.responseBytesMax}: a full block with its transactions does not fit`,
      'rpc: {responseBytesMax: 26214400}',
    )
  }
  if (rpc.batchItemsMax < 100) {
    yield warning(
      'batch_small',
      `rpc.batchItemsMax is ${rpc.batchItemsMax}: ethers sends batches of up to 100 calls, which fail`,
      'rpc: {batchItemsMax: 100}',
    )
  }
  if (http.connectionsPerAddressMax >= http.connectionsMax) {
    yield warning(
      'one_address_takes_all',
      `http.connectionsPerAddressMax is ${http.connectionsPerAddressMax} of ${http.connectionsMax}: one address can use all connections`,
      `http: {connectionsPerAddressMax: ${Math.ceil(http.connectionsMax / 4)}}`,
    )
  }
  const upload = files.uploadBytesMax
  if (upload !== null && upload < 2 * mib) {
    yield warning(
      'upload_small',
      `files.uploadBytesMax is ${upload}: IPFS peers exchange blocks of up to 2 MiB`,
      'files: {uploadBytesMax: 104857600}',
    )
  }
  if (upload !== null && store.bytesMax !== null && upload > store.bytesMax) {
    yield problem(
      'upload_over_store',
      `files.uploadBytesMax is ${upload} and store.bytesMax ${store.bytesMax}: such an upload can never be stored`,
      `files: {uploadBytesMax: ${store.bytesMax}}`,
    )
  }
}

function* checkPublic(config: Config): Generator<Problem> {
  const { http, card, log } = config
  if (http.tls.certificateFile === null) {
    yield warning(
      'no_tls',
      `http.host is ${http.host}: keys and secrets are sent unencrypted unless clients use a TLS proxy`,
      'http: {tls: {certificateFile: …, keyFile: …}}; or http: {host: 127.0.0.1}, and a proxy with a certificate',
    )
  }
  if (card.adapter === 'none') {
    yield warning(
      'no_card_gate',
      'card.adapter is none on a public address: every key can store files',
      'card: {adapter: manual}',
    )
  }
  if (embeddedChain(config)?.genesisFile === null) {
    yield warning(
      'public_dev_accounts',
      'the built-in chain is reachable from other machines, and the keys of its funded accounts are public',
      `${chainLine(config, 'genesisFile: ./genesis.json')}, or http: {host: 127.0.0.1}`,
    )
  }
  if (log.level === 'debug') {
    yield warning('debug_log', 'log.level is debug on a public address', 'log: {level: info}')
  }
}
