// Documented reasons for answers that differ from another service: the rules of docs/reference/differences.md, one sentence each.
// Tested by test/cli/doctor-dropin.test.ts

export type Explanation = {
  readonly text: string
  /** Anchor in docs/reference/differences.md. */
  readonly section: 'answers' | 'refusals-and-limits'
}

type Rule = Explanation & {
  readonly probes: RegExp
  /** Matches the differences that the rule explains. Other differences of the same probe remain unexplained. */
  readonly differences: RegExp
}

const rules: readonly Rule[] = [
  {
    probes: /^eth_accounts$/,
    differences: /^result: theirs \d+ entries, ours 0$/,
    text: 'Cairn stores no private keys, so it lists no accounts; sign in the client',
    section: 'refusals-and-limits',
  },
  {
    probes: /^a body that is not JSON$|^an empty body$/,
    differences: /^status: theirs \d+, ours 400$|; ours: 400, error -32700/,
    text: 'a body that is not JSON has status 400, as at Infura; geth uses 200',
    section: 'refusals-and-limits',
  },
  {
    probes: /^GET$/,
    differences: /^status: theirs \d+, ours 405$/,
    text: 'JSON-RPC is POST; a browser that opens the URL gets 405',
    section: 'refusals-and-limits',
  },
  {
    probes: /of a page$|for a page$/,
    differences: /: theirs no, ours yes$/,
    text: 'pages of every origin may call Cairn and read its replies; allowlists of a key restrict that',
    section: 'refusals-and-limits',
  },
  {
    probes: /^eth_getLogs: a range that ends/,
    differences: /; ours: 200, error -32602/,
    text: 'a range that ends before it begins or above the head is refused, as by geth',
    section: 'answers',
  },
  {
    probes: /^eth_get(?:Block|Transaction)/,
    differences:
      /\.totalDifficulty: only theirs has it$|\.(?:blockTimestamp|yParity): only ours has it$/,
    text: 'Cairn has the members of current geth: blockTimestamp and yParity always, totalDifficulty never',
    section: 'answers',
  },
  {
    probes: /^eth_getProof$/,
    differences: /^result\.(?:codeHash|storageHash): theirs "0x0{64}"/,
    text: 'the proof of an absent account has the hashes of empty code and empty storage (EIP-1186); geth sends zeros',
    section: 'answers',
  },
  {
    probes: /^a batch with an item/,
    differences: /^theirs: \d+, error -32600/,
    text: 'an item that is no call has an error of its own, and the other calls of the batch run',
    section: 'refusals-and-limits',
  },
  {
    probes: /^no id$/,
    differences: /^status: theirs \d+, ours 200$|; ours: 200, empty body$/,
    text: 'a notification has status 200 and an empty body',
    section: 'refusals-and-limits',
  },
]

/** Null: no rule explains all `differences` of this probe. */
export function explain(probe: string, differences: readonly string[]): Explanation | null {
  const found = rules.find(
    (rule) => rule.probes.test(probe) && differences.every((line) => rule.differences.test(line)),
  )
  return found === undefined ? null : { text: found.text, section: found.section }
}
