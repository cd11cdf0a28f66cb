// Loaded before a server (`node --import`): its network process restarts 50 ms after each end, so that tests can end it often.
import { defaultSupervisorLimits } from '../../src/ipfs/network/supervisor.ts'

Object.assign(defaultSupervisorLimits, { firstDelayMs: 50, delayMsMax: 50 })
