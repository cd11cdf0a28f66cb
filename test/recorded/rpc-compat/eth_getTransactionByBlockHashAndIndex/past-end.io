>> {"jsonrpc":"2.0","id":1,"method":"eth_getTransactionByBlockHashAndIndex","params":["0xdc34bc31a34dadc9523c6165176e2b20578574b31e8123f1ae13f9088ad68db8","0xffff"]}
<< {"jsonrpc":"2.0","id":1,"result":null}
