// Pinning services that contain none, for tests of other commands.
import { systemClock } from '../../../src/base/clock.ts'
import { Fault } from '../../../src/base/fault.ts'
import { createOutbound } from '../../../src/base/outbound.ts'
import type { KuboCommandDeps } from '../../../src/kubo/commands/index.ts'
import { createPsaClient } from '../../../src/kubo/remote-pins/psa-client.ts'

export const noRemotePins: KuboCommandDeps['remotePins'] = {
  remotes: {
    add: async () => {},
    list: async () => [],
    get: () => Promise.reject(new Fault('command_failed', { detail: 'service not known' })),
    remove: async () => {},
  },
  client: createPsaClient(createOutbound({ clock: systemClock, anywhere: () => false })),
}
