// Loaded before a server (`node --import`): restarts its network process 50 ms after each exit, so that tests can end it often.
import { defaultSupervisorLimits } from '../../src/ipfs/network/supervisor.ts'

Object.assign(defaultSupervisorLimits, { firstDelayMs: 50, delayMsMax: 50 })
