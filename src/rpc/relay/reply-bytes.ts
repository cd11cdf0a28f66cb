// Size limits for replies of upstreams to methods whose valid replies are small. Cairn discards a longer reply without reading the
// rest.
// Tested by src/chain/upstream/node/upstream.test.ts

export const replyBytes = {
  number: 64 * 1024,
  header: 256 * 1024,
  /** Deployed code is at most 24 KiB (EIP-170) on Ethereum; some chains allow more. */
  code: 2 * 1024 * 1024,
  /** A page of 1,024 slots in hex is below 300 KiB. */
  slots: 4 * 1024 * 1024,
  /** A page of 256 accounts with their code is below 16 MiB. */
  accounts: 16 * 1024 * 1024,
} as const
