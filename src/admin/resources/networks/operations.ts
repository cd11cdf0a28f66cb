// Networks of the settings, and networks that operators save.
// Tested by test/admin/admin-networks.test.ts
import type { AdminOperation } from '../../admin-operation.ts'
import { addNetwork } from './add-network.ts'
import { changeNetwork } from './change-network.ts'
import { listNetworks } from './list-networks.ts'
import { probeNetwork } from './probe-network.ts'
import { removeNetwork } from './remove-network.ts'
import { testNetwork } from './test-network.ts'

export const networkOperations = [
  listNetworks,
  addNetwork,
  probeNetwork,
  changeNetwork,
  removeNetwork,
  testNetwork,
] as const satisfies readonly AdminOperation[]
