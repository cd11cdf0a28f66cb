>> {"jsonrpc":"2.0","id":1,"method":"eth_getBlockTransactionCountByHash","params":["0xdc34bc31a34dadc9523c6165176e2b20578574b31e8123f1ae13f9088ad68db8"]}
<< {"jsonrpc":"2.0","id":1,"result":"0x4"}
