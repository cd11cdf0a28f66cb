// Why an answer may differ from that of another service, by probe: the rules of docs/reference/differences.md in one sentence.
// Tested by test/cli/doctor-dropin.test.ts

export type Explanation = {
  readonly text: string
  /** Anchor in docs/reference/differences.md. */
  readonly section: 'answers' | 'refusals-and-limits'
}

const explanations: readonly (Explanation & { readonly probes: RegExp })[] = [
  {
    probes: /^eth_accounts$/,
    text: 'Cairn stores no private keys, so it lists no accounts; sign in the client',
    section: 'refusals-and-limits',
  },
  {
    probes: /^a body that is not JSON$|^an empty body$/,
    text: 'a body that is not JSON has status 400, as at Infura; geth uses 200',
    section: 'refusals-and-limits',
  },
  {
    probes: /^GET$/,
    text: 'JSON-RPC is POST; a browser that opens the URL gets 405',
    section: 'refusals-and-limits',
  },
  {
    probes: /of a page$|for a page$/,
    text: 'pages of every origin may call Cairn and read its replies; allowlists of a key restrict that',
    section: 'refusals-and-limits',
  },
  {
    probes: /^eth_getLogs: a range that ends/,
    text: 'a range that ends before it begins or above the head is refused, as by geth',
    section: 'answers',
  },
  {
    probes: /^eth_(getBlock|getTransaction)(?!.*: (an unknown|a number|a block above))/,
    text: 'Cairn has exactly the members of current geth: blockTimestamp and yParity always, totalDifficulty never',
    section: 'answers',
  },
  {
    probes: /^eth_getProof$/,
    text: 'the proof of an absent account has the hashes of empty code and empty storage (EIP-1186); geth sends zeros',
    section: 'answers',
  },
  {
    probes: /^a batch /,
    text: 'an item that is no call has an error of its own, and the other calls of the batch run',
    section: 'refusals-and-limits',
  },
  {
    probes: /^no id$/,
    text: 'a notification has status 200 and an empty body',
    section: 'refusals-and-limits',
  },
]

/** Null: no rule of Cairn explains a difference of this probe. */
export function explain(probe: string): Explanation | null {
  const found = explanations.find(({ probes }) => probes.test(probe))
  return found === undefined ? null : { text: found.text, section: found.section }
}
