"""Failures that one line tells and no entry knows, and their healthy neighbours: the same words where nothing failed.

Each is a log of its own; `@@` stands for the end of a line within one.
"""

__all__ = ["FAILURES", "HEALTHY"]

_FAILURES = r"""
node1:12:34 [0] transport/p2p.cc:244 NCCL WARN Cuda failure 'peer access is not supported between these two devices'
node1:12:34 [0] include/alloc.h:100 NCCL WARN Failed to CUDA calloc 6291456 bytes
node1:12:34 [0] misc/ibvwrap.cc:200 NCCL WARN Call to ibv_reg_mr failed with error Cannot allocate memory
node1:12:34 [0] transport/net_ib.cc:1295 NCCL WARN NET/IB : Got completion from peer 10.0.0.1<4000> with status=5 opcode=0 len=0
nvidia-container-cli: container error: cgroup subsystem devices not found: unknown
nvidia-container-cli: device error: 7: unknown device: unknown
nvidia-container-cli: initialization error: load library failed: libfoo.so.9: cannot open shared object file
nvidia-container-cli: mount error: file creation failed: /var/lib/docker/overlay2/x/merged/usr/bin/nvidia-foo: file exists
nvidia-container-cli: ldcache error: process /sbin/ldconfig terminated with signal 9
NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.
Failed to initialize NVML: Insufficient Permissions
/root/x.cpp:1:10: 致命错误：x.h：没有那个文件或目录
x.cpp:3:5: 错误：‘foo’在此作用域中尚未声明
/usr/bin/ld: 找不到 -lfoo：没有那个文件或目录
collect2: 错误：ld 返回 1
bash: nvcc: 未找到命令
'nvcc' 不是内部或外部命令，也不是可运行的程序
'nvcc' is not recognized as an internal or external command,
nvcc : 无法将“nvcc”项识别为 cmdlet、函数、脚本文件或可运行程序的名称。
nvcc : The term 'nvcc' is not recognized as the name of a cmdlet, function, script file, or operable program.
bash: nvcc: command not found
vllm serve: error: argument --max-model-len: invalid int value: '32kk'
vllm serve: error: unrecognized arguments: --foo
zsh: command not found: nvcc
bash: ./run.sh: Permission denied
bash: ./run.sh: No such file or directory
bash: line 1: 4711 Killed python serve.py
    + CategoryInfo          : ObjectNotFound: (foo:String) [], CommandNotFoundException
    + FullyQualifiedErrorId : CommandNotFoundException
  Warning  Failed     10s (x3 over 40s)  kubelet  Error: failed to create containerd task
  Warning  Failed     10s (x3 over 40s)  kubelet  Failed to pull image "foo/bar:1": not found
  Warning  BackOff    3s (x8 over 90s)  kubelet  Back-off restarting failed container foo in pod bar
vllm-0   0/1     CrashLoopBackOff   5 (20s ago)   4m
vllm-0   0/1     OOMKilled   5 (20s ago)   4m
vllm-0   0/1     ImagePullBackOff   0   4m
vllm-0   0/1     ErrImagePull   0   4m
vllm-0   0/1     Error   3 (20s ago)   4m
    Last State:     Terminated  Reason: Error
    Last State:     Terminated@@      Reason:       Error@@      Exit Code:    1
    State:          Waiting@@      Reason:       CrashLoopBackOff
  Warning  FailedScheduling  12s   default-scheduler  0/3 nodes are available: 3 Insufficient nvidia.com/gpu.
  Warning  FailedMount  12s   kubelet  MountVolume.SetUp failed for volume "x" : secret "x" not found
  Warning  Unhealthy  12s   kubelet  Readiness probe failed: dial tcp 10.0.0.1:8000: connect: connection refused
docker: Error response from daemon: pull access denied for foo.
Error response from daemon: No such container: foo
vllm.service: Main process exited, code=exited, status=1/FAILURE
Dec  1 10:00:00 host systemd[1]: vllm.service: Main process exited, code=exited, status=1/FAILURE
Dec 01 10:00:00 host systemd[1]: vllm.service: Main process exited, code=killed, status=9/KILL
Dec 01 10:00:00 host systemd[1]: vllm.service: Main process exited, code=dumped, status=11/SEGV
vllm.service: Failed with result 'exit-code'.
Dec 01 10:00:00 host systemd[1]: vllm.service: Failed with result 'exit-code'.
Dec 01 10:00:00 host systemd[1]: vllm.service: Failed with result 'oom-kill'.
Dec 01 10:00:00 host systemd[1]: Failed to start vLLM server.
Segmentation fault (core dumped)
Killed
Bus error
Bus error (core dumped)
Illegal instruction
Illegal instruction (core dumped)
Aborted
段错误 (核心已转储)
已杀死
总线错误
非法指令
free(): invalid pointer
double free or corruption (!prev)
malloc(): corrupted top size
munmap_chunk(): invalid pointer
malloc_consolidate(): invalid chunk size
corrupted size vs. prev_size
*** stack smashing detected ***: terminated
*** Error in `python': double free or corruption (out): 0x0000000001 ***
make: *** [Makefile:10: all] Error 1
make[1]: *** [CMakeFiles/x.dir/all] Error 2
make: *** No rule to make target 'foo'.  Stop.
gmake: *** [all] Error 2
make: *** [Makefile:10：all] 错误 1
ninja: build stopped: subcommand failed.
ninja: error: loading 'build.ninja': No such file or directory
FAILED: CMakeFiles/x.dir/a.cu.o
error: subprocess-exited-with-error
  × Building wheel for foo (pyproject.toml) did not run successfully.
  ERROR: Failed building wheel for foo
ERROR: Could not find a version that satisfies the requirement foo==9
CMake Error at CMakeLists.txt:10 (find_package):
CMake Error: The source directory "/x" does not exist.
-- Configuring incomplete, errors occurred!
collect2: error: ld returned 1 exit status
/usr/bin/ld: x.o: undefined reference to `foo'
x.cpp:10: undefined reference to `foo()'
LINK : fatal error LNK1181: cannot open input file 'cuda.lib'
x.cpp(10): error C2065: 'foo': undeclared identifier
error: command '/usr/bin/gcc' failed with exit code 1
E: Unable to locate package foo
E: 无法定位软件包 foo
E: Could not get lock /var/lib/dpkg/lock
E: Sub-process /usr/bin/dpkg returned an error code (1)
npm ERR! code ELIFECYCLE
npm error code ELIFECYCLE
dpkg: error processing package foo (--configure):
modprobe: FATAL: Module nvidia not found in directory /lib/modules/6.1
modprobe: ERROR: could not insert 'nvidia': No such device
insmod: ERROR: could not insert module
srun: error: node1: task 0: Exited with exit code 1
srun: error: node1: task 0: Killed
slurmstepd: error: Detected 1 oom_kill event in StepId=1.0.
slurmstepd: error: *** JOB 1 ON node1 CANCELLED AT 2026-12-01T00:00:00 DUE TO TIME LIMIT ***
mpirun noticed that process rank 0 with PID 0 on node node1 exited on signal 9 (Killed).
mpirun detected that one or more processes exited with non-zero status, thus causing
[12345.678] python[123]: segfault at 0 ip 00007f sp 00007f error 4 in libcuda.so[7f+1]
Dec 01 10:00:00 host kernel: python[123]: segfault at 0 ip 00007f sp 00007f error 4 in libcuda.so[7f+1]
Dec 01 10:00:00 host kernel: traps: python[12] trap invalid opcode ip:7f sp:7f error:0 in x.so[1+2]
terminate called without an active exception
pure virtual method called
./a.out: error while loading shared libraries: libfoo.so.1: cannot open shared object file: No such file or directory
./a.out: /lib/x86_64-linux-gnu/libfoo.so: version `FOO_2.9' not found (required by ./a.out)
python: symbol lookup error: /x.so: undefined symbol: foo
python: can't open file '/x/serve.py': [Errno 2] No such file or directory
/usr/bin/python: No module named foo
curl: (7) Failed to connect to localhost port 9000 after 0 ms: Couldn't connect to server
curl: (56) Recv failure: Connection reset by peer
fatal: not a git repository (or any of the parent directories): .git
exec /usr/bin/foo: exec format error
standard_init_linux.go:228: exec user process caused: exec format error
foo-1 exited with code 137
Process finished with exit code 139 (interrupted by signal 11:SIGSEGV)
进程已结束，退出代码为 139 (interrupted by signal 11:SIGSEGV)
"""
_HEALTHY = r"""
node1:12:34 [0] misc/cudawrap.cc:188 NCCL WARN Failed to find CUDA library libcuda.so
node1:12:34 [0] NCCL WARN Failed to open libibverbs.so[.1]
node1:12:34 [0] misc/ibvwrap.cc:60 NCCL WARN Could not find libibverbs.so
node1:12:34 [0] NCCL INFO NET/Plugin: Could not find: libnccl-net.so.
node1:12:34 [0] plugin/net.cc:100 NCCL INFO NET/Plugin: Failed to load libnccl-net.so, using internal
node1:12:34 [0] graph/topo.cc:700 NCCL WARN NUMA auto balancing enabled which can lead to variability in the NCCL performance!
node1:12:34 [0] init.cc:99 NCCL WARN Missing "iommu=pt" from kernel command line which can lead to system instablity or hang!
node1:12:34 [0] NCCL INFO comm 0x1 rank 0 nranks 2 - Init COMPLETE
node1:12:34 [0] NCCL INFO Received RAS status=0
NAME     READY   STATUS    RESTARTS   AGE@@vllm-0   1/1     Running   0   4m@@vllm-1   0/1     Completed   0   4m
vllm-2   0/1     Pending   0   4m@@vllm-3   0/1     ContainerCreating   0   4m
vllm-0   1/1     Running   5 (20m ago)   4h
  Normal  Pulled     10s   kubelet  Successfully pulled image "x" in 2.1s
  Normal  Created    10s   kubelet  Created container x@@  Normal  Started    10s  kubelet  Started container x
    Last State:     Terminated@@      Reason:       Completed@@      Exit Code:    0
    State:          Running@@    Ready:          True@@    Restart Count:  0
  Warning  FailedGetResourceMetric  12s   horizontal-pod-autoscaler  no metrics yet
  Warning  FailedToRetrieveImagePullSecret  12s  kubelet  Unable_to_retrieve x
Warning: would violate PodSecurity "restricted:latest"
The operator Killed the old pod by hand.
Killed the server, starting again
I Killed it.
The job was killed by the user
0 errors, 0 warnings
Found 0 errors in 12 files
Finished: 0 failed, 12 passed
Errors: 0
mean absolute error: 0.25
epoch done, relative error: 1e-5
vllm.service: Main process exited, code=exited, status=0/SUCCESS
vllm.service: Main process exited, code=killed, status=15/TERM
vllm.service: Main process exited, code=exited, status=143/n/a
vllm.service: Deactivated successfully.
Dec 01 10:00:00 host systemd[1]: Started vLLM server.
ninja: no work to do.
ninja: Entering directory `/x'
ninja: build stopped: interrupted by user.
make: Nothing to be done for 'all'.
make[1]: Entering directory '/x'
make: [Makefile:3: clean] Error 1 (ignored)
make: *** [Makefile:3: run] Interrupt
rm: cannot remove 'x': No such file or directory
CMake Warning at CMakeLists.txt:3 (message):
-- Configuring done
-- Performing Test HAVE_X - Failed
-- Looking for pthread_create in pthreads - not found
Successfully installed foo-1.0
  Building wheel for foo (pyproject.toml): finished with status 'done'
npm warn deprecated foo@1.0
npm WARN deprecated foo@1.0
W: Some index files failed to download. They have been ignored, or old ones used instead.
N: Download is performed unsandboxed as root
E2E: Package tests are on
+ python serve.py
    + CategoryInfo          : NotSpecified: (INFO 12-01:String) [], RemoteException@@    + FullyQualifiedErrorId : NativeCommandError
curl: try 'curl --help' for more information
collected 12 items / 1 error expected
errors=0 failures=0
free(): done
malloc() is used here
Use `kubectl logs --previous` when a pod is in CrashLoopBackOff.
段错误的原因有很多
如果出现错误：请检查
NVIDIA-SMI 550.54   Driver Version: 550.54   CUDA Version: 12.4
nvidia-container-cli: version 1.16.0
nvidia-container-runtime: started
container exited normally
Process finished with exit code 0
进程已结束，退出代码为 0
foo-1 exited with code 0
Aborted 3 stale requests
Aborted requests: 0
segfault handler installed
double-free checks are on
exec format: ELF 64-bit
timeout status=0
the command is not recognized as slow
error CODE 0
x.cu(12): warning #177-D: variable "foo" was declared but never referenced
x.c:10:5: warning: unused variable 'x' [-Wunused-variable]
x.c:10:5: 警告：未使用的变量‘x’
compiled with 0 error(s)
reference to `foo' is defined
Reason: none
Reason: Errors are rare
Reason: StartError is documented below
3/3 nodes are ready
0/1 Errors 0
1/1 Error budget left
zsh: correct 'pyhton' to 'python' [nyae]?
bash: warning: setlocale: LC_ALL: cannot change locale (en_US.UTF-8)
step 3 killed 2 workers
Pulling image, 4711 done
mpirun: Forwarding signal 18 to job
No errors were found, FAILED: 0
"""


def _logs(text: str) -> tuple[str, ...]:
    return tuple(line.replace("@@", "\n") for line in text.strip("\n").split("\n"))


FAILURES = _logs(_FAILURES)
HEALTHY = _logs(_HEALTHY)
