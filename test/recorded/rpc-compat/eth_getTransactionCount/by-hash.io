>> {"jsonrpc":"2.0","id":1,"method":"eth_getTransactionCount","params":["0xca1c0000000000000000000000000000000000e1","0xfc97a16eac76b2e8ae5e8cce727fff871b89f63accb5d892a6c34b8e3067f9ef"]}
<< {"jsonrpc":"2.0","id":1,"result":"0x1"}
