// NVTX ranges of C++ programs: narrow, wide and registered names, domains, threads, ranges that end out of order. What
// `--stats` says of the launches is compared.
#include "check.h"
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvtx3.hpp>
#include <thread>

__global__ void step() {}

static void launch(int number) {
    step<<<number, 1>>>();
    OK(cudaDeviceSynchronize());
}

struct library { static constexpr char const* name{"a library"}; };

int main() {
    launch(1);
    std::printf("pushed at %d\n", nvtxRangePushA("narrow"));
    std::printf("pushed at %d\n", nvtxRangePushW(L"wide \u00fc"));
    launch(2);
    nvtxDomainHandle_t domain = nvtxDomainCreateA("domain"), wide = nvtxDomainCreateW(L"wide domain");
    nvtxEventAttributes_t event = {};
    event.version = NVTX_VERSION;
    event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    event.message.registered = nvtxDomainRegisterStringA(domain, "registered");
    std::printf("pushed at %d\n", nvtxDomainRangePushEx(domain, &event));
    event.messageType = NVTX_MESSAGE_TYPE_UNICODE;
    event.message.unicode = L"by \u4e00";
    nvtxRangeId_t started = nvtxDomainRangeStartEx(wide, &event), other = nvtxRangeStartA("also");
    launch(3);
    std::printf("popped at %d\n", nvtxRangePop());
    launch(4);
    nvtxDomainRangeEnd(wide, started);
    std::thread([] { launch(5); nvtxRangePushA("of the thread"); launch(6); }).join();
    launch(7);
    std::printf("popped at %d\n", nvtxDomainRangePop(domain));
    std::printf("popped at %d\n", nvtxDomainRangePop(domain));
    std::printf("popped at %d\n", nvtxRangePop());
    nvtxRangeEnd(other);
    nvtxRangeEnd(12345);
    std::printf("popped at %d\n", nvtxRangePop());
    {
        nvtx3::scoped_range_in<library> scoped{"scoped"};
        launch(8);
    }
    nvtxRangePushA(nullptr);
    nvtxRangePushEx(nullptr);
    launch(9);
    for (int i = 0; i < 5000; ++i) nvtxRangePushA("deep");
    for (int i = 0; i < 5000; ++i) nvtxRangePop();
    nvtxRangePop();
    nvtxRangePop();
    nvtxRangePushA(std::string(100000, 'x').c_str());
    nvtxRangePop();
    launch(10);
}
