// The storage slots page in a browser, with a contract compiled by solc.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ContractFactory, type InterfaceAbi, JsonRpcProvider, Wallet } from 'ethers'
import { devAccounts } from '../../src/devchain/dev-accounts.ts'
import type { Started } from '../started-server.ts'
import { checkAxe } from './axe.ts'
import { noBrowser } from './browser.ts'
import { openSignedIn } from './signed-in.ts'

const artifact = fileURLToPath(new URL('../fakes/files/kept-contract.json', import.meta.url))
const owner = '0x391694e7e0b0cce554cb130d723a9d27458f9298'

async function deploy({ url, apiKey }: Started): Promise<string> {
  const { abi, bytecode } = JSON.parse(readFileSync(artifact, 'utf8')) as {
    abi: InterfaceAbi
    bytecode: string
  }
  const provider = new JsonRpcProvider(`${url}/v3/${apiKey}`)
  try {
    const wallet = new Wallet(devAccounts[0]?.privateKey ?? '', provider)
    const deployed = await new ContractFactory(abi, bytecode, wallet).deploy()
    await deployed.waitForDeployment()
    return await deployed.getAddress()
  } finally {
    provider.destroy()
  }
}

test(
  'with a storage layout, the page shows the decoded, proved value and the slot of a variable',
  { skip: noBrowser },
  async (t) => {
    const { cairn, page, open, picture } = await openSignedIn(t)
    const address = await deploy(cairn)
    await open('/slots')
    await page.locator('input[type=file]').setInputFiles(artifact)
    await page.getByText('A storage layout with').waitFor()
    await page.getByLabel('Contract', { exact: true }).fill(address)
    const read = async (path: string): Promise<string> => {
      await page.getByLabel('Variable', { exact: true }).fill(path)
      await page.getByRole('button', { name: 'Read slot' }).click()
      await page
        .getByText(path.split(/[.[]/, 1)[0] ?? '', { exact: true })
        .last()
        .waitFor()
      await page.locator('.badge', { hasText: 'Proved' }).waitFor()
      return await page.getByRole('region', { name: 'the value' }).innerText()
    }
    assert.equal(await read(`balances[${owner}]`), '12345')
    assert.match(await read('motto'), /^everything is found by hash/)
    assert.deepEqual(JSON.parse(await read('order.at')), { x: '7', y: '8', set: true })
    await checkAxe(page, 'slots')
    await picture('slots')

    await page.getByRole('link', { name: 'Open' }).first().click()
    await page.getByRole('button', { name: 'Ask and check' }).click()
    await page.getByText('hashes match, from the block to the value').waitFor()
  },
)

test(
  'a wrong path and a wrong file are refused with the expected form',
  { skip: noBrowser },
  async (t) => {
    const { page, open } = await openSignedIn(t)
    await open('/slots')
    await page.getByLabel('JSON').fill('{}')
    await page.getByText('there is no storage layout in it').waitFor()
    await page.locator('input[type=file]').setInputFiles(artifact)
    await page.getByLabel('Contract', { exact: true }).fill(owner)
    await page.getByLabel('Variable', { exact: true }).fill('nothing')
    await page.getByRole('button', { name: 'Read slot' }).click()
    await page.getByText('there is no variable nothing').waitFor()
  },
)
