// Keys of one account send only calls that cost the EVM far more than they cost to send, while another account sends small ones.
// Every small call must get a correct answer.
import { systemClock } from '../../src/base/clock.ts'
import { greedyCalls } from '../hostile/greedy-calls.ts'
import { rpc, startCairn, type Started } from '../started-server.ts'
import type { Section } from './section.ts'

const greedyKeys = 3
const connectionsPerKey = 2
/** PUSH1 42, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN. */
const honestCall = [{ data: '0x602a5f5260205ff3' }, 'latest']
const honestAnswer = `0x${'2a'.padStart(64, '0')}`

export const starvation: Section = {
  name: 'starvation',
  share: 0.1,
  async run({ budgetMs, tally, report }) {
    const cairn = await startCairn()
    try {
      await cairn.cli('accounts', 'create', 'greedy')
      const keys: string[] = []
      for (let at = 0; at < greedyKeys; at += 1) {
        const made = await cairn.cli('keys', 'create', '--account', 'greedy')
        keys.push(String(made['apiKey']))
      }
      const end = systemClock.monotonic() + budgetMs
      const isOver = (): boolean => systemClock.monotonic() >= end
      const attacks = keys.flatMap((key) =>
        Array.from({ length: connectionsPerKey }, (_, at) => attack(cairn, key, at, isOver)),
      )
      const waits: number[] = []
      while (!isOver()) {
        const began = systemClock.monotonic()
        const { result } = await rpc(cairn.url, cairn.apiKey, 'eth_call', honestCall)
        waits.push(systemClock.monotonic() - began)
        const verdict =
          result === honestAnswer ? 'right' : result === undefined ? 'refused' : 'wrong'
        tally.add('small calls during calls that exhaust the EVM', 'trusted', verdict)
      }
      await Promise.all(attacks)
      waits.sort((a, b) => a - b)
      const at = (share: number) => Math.round(waits[Math.floor(waits.length * share)] ?? 0)
      report(`small calls during an attack took ${at(0.5)} ms (p50), ${at(0.99)} ms (p99)`)
    } finally {
      await cairn.stop()
    }
  },
}

async function attack(
  { url }: Started,
  key: string,
  from: number,
  isOver: () => boolean,
): Promise<void> {
  for (let at = from; !isOver(); at += 1) {
    const call = greedyCalls[at % greedyCalls.length]
    // It may be refused or aborted: its outcome is not counted.
    if (call !== undefined) await rpc(url, key, 'eth_call', call.params).catch(() => null)
  }
}
