// What is wrong with the IPFS network: routers that do not answer, and a process that ends again and again.
// Tested by src/cli/doctor/ipfs-network-checks.test.ts
import { problem, warning, type Problem } from '../../server/network-checks/problem.ts'
import type { QueriedIpfsNetwork } from './query-ipfs-network.ts'

export function* checkIpfsNetwork(found: QueriedIpfsNetwork | null): Generator<Problem> {
  if (found === null) return
  for (const { host, failure } of found.routers) {
    if (failure === null) continue
    yield warning(
      'router_silent',
      `the router ${host} finds no providers: ${failure}`,
      'correct ipfsNetwork.routers, or remove it: other routers and the DHT are still asked',
    )
  }
  if (found.isDown) {
    yield problem(
      'network_down',
      'the process of the IPFS network ended five times in ten minutes',
      'look for network_process_ended in the log; ipfsNetwork: {mode: off} turns it off',
    )
  }
}
